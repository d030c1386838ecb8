import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import type { DomainDns } from '../../dns/schema';
import classes from './dns.module.css';
import { isProblem } from './dns-values';

type DnsTabTitleProps = { dns: DomainDns | undefined; active: boolean };

/** The name of the tab, with the number of problems, which an inactive domain doesn't have. */
export function DnsTabTitle({ dns, active }: DnsTabTitleProps) {
  const problems = dns?.records.filter(isProblem) ?? [];
  if (problems.length === 0 || !active) return 'DNS';
  const isBroken = problems.some(({ severity }) => severity === 'error');
  return (
    <span className={classes.tabTitle}>
      DNS
      <StatusMark status={isBroken ? 'bounced' : 'warning'}>
        {formatCount(problems.length)} <span className="sr-only">{problems.length === 1 ? 'problem' : 'problems'}</span>
      </StatusMark>
    </span>
  );
}
