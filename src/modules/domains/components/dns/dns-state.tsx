import { Progress } from '@mantine/core';
import type { ReactNode } from 'react';
import { toProblem } from '@/components/api/problem';
import { Notice } from '@/components/layout/notice';
import { StatusMark } from '@/components/marks/status-mark';
import { formatAgo, formatCount, formatFull, formatMoment, formatPlural } from '@/lib/format';
import type { DomainDns } from '../../dns/schema';
import classes from './dns.module.css';
import { isProblem } from './dns-values';

type DnsStateProps = {
  dns: DomainDns;
  isActive: boolean;
  isRunning: boolean;
  checkError: unknown;
  children: ReactNode;
};

/** The result of the last check, the progress of the running one, and a notice if an old result is shown. */
export function DnsState({ dns, isActive, isRunning, checkError, children }: DnsStateProps) {
  return (
    <>
      <div className={classes.state}>
        <div className={classes.summary} role="status">
          {isRunning ? <Running dns={dns} /> : <Result dns={dns} isActive={isActive} />}
        </div>
        <span className="spacer" />
        {children}
      </div>
      {Boolean(checkError) && !isRunning && (
        <Notice status="bounced" role="alert" title={`The check failed: ${toProblem(checkError).message}`} />
      )}
      {!isRunning && <OldResult dns={dns} />}
    </>
  );
}

function Running({ dns: { check } }: { dns: DomainDns }) {
  const [done, total] = [check?.records.length ?? 0, check?.total ?? 0];
  return (
    <>
      <StatusMark status="pending">Checking</StatusMark>
      <span className="soft">
        {total === 0 ? 'Asking the name servers' : `${done} of ${formatPlural(total, 'record')}`}
      </span>
      <Progress
        className={classes.progress}
        aria-label="Checked records"
        size={4}
        radius={2}
        value={total === 0 ? 0 : (100 * done) / total}
      />
    </>
  );
}

function Result({ dns, isActive }: { dns: DomainDns; isActive: boolean }) {
  const { records, checked_at } = dns;
  if (checked_at === null) return <Unchecked />;
  const answeredAt = unansweredSince(dns)?.since ?? checked_at;
  const errors = records.filter(({ severity }) => severity === 'error').length;
  const problems = records.filter(isProblem).length;
  return (
    <>
      {isActive || problems === 0 ? (
        <StatusMark status={errors > 0 ? 'bounced' : problems > 0 ? 'warning' : 'on'}>
          {problems === 0 ? 'No problems' : formatPlural(problems, 'problem')}
        </StatusMark>
      ) : (
        <span>
          The domain is inactive and handles no mail, so{' '}
          {problems === 1 ? 'the record that differs does' : `the ${formatCount(problems)} records that differ do`} no
          harm.
        </span>
      )}
      <span className="soft">
        {answeredAt === checked_at ? 'Checked' : 'Last answered'}{' '}
        <time dateTime={answeredAt} title={formatFull(answeredAt)} suppressHydrationWarning>
          {formatAgo(answeredAt)}
        </time>
        {answeredAt === checked_at && ', again every hour'}
      </span>
    </>
  );
}

function Unchecked() {
  return (
    <>
      <StatusMark status="pending">Not checked yet</StatusMark>
      <span className="soft">The first check starts within a minute</span>
    </>
  );
}

/**
 * Tells if no lookup of the last check was answered. A record whose lookup failed keeps its last result, so its time of check is an
 * older one.
 */
function unansweredSince({ records, checked_at }: DomainDns): { since: string | undefined } | null {
  if (checked_at === null || records.length === 0) return null;
  const times = records.flatMap((record) => record.checked_at ?? []);
  const old = times.filter((time) => time < checked_at);
  const unanswered = records.filter(({ status }) => status === 'temporary_error').length;
  return old.length + unanswered < records.length ? null : { since: old.sort()[0] };
}

function OldResult({ dns }: { dns: DomainDns }) {
  const found = unansweredSince(dns);
  const { checked_at } = dns;
  if (checked_at === null || !found) return null;
  const { since } = found;
  return (
    <div className={classes.notice}>
      <Notice status="deferred" title="No DNS server answered the last check">
        <p>
          {since === undefined
            ? 'There is no earlier result to show. Check that the server reaches its DNS resolvers (DNS_SERVERS), then check again.'
            : `This is the result of ${formatMoment(since)}. The check of ${formatMoment(checked_at)} got no answers. It is repeated within the hour.`}
        </p>
      </Notice>
    </div>
  );
}
