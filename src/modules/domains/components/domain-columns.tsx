import { Clipped, Copyable, RowLink } from '@/components/data-table/cells';
import { addedColumn } from '@/components/data-table/columns';
import type { ListColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { formatCount } from '@/lib/format';
import type { domainList } from '../lists';
import type { Domain } from '../schema';
import { DnsMark } from './dns-mark';
import classes from './domain-columns.module.css';

/** @param problems what is wrong with the DNS of domains, by their IDs, as far as the overview names it */
export const domainColumns = (problems: ReadonlyMap<string, string>): ListColumn<Domain, typeof domainList>[] => [
  {
    header: 'DNS',
    width: 116,
    kind: 'mark',
    mobile: 'side',
    sortBy: 'dns_status',
    firstOrder: 'desc',
    skeletonWidth: 64,
    cell: ({ dns_status, active }) => <DnsMark status={dns_status} active={active} />,
  },
  {
    header: 'Name',
    kind: 'copyable',
    mobile: 'lead',
    sortBy: 'name',
    skeletonWidth: 180,
    cell: ({ id, name }) => (
      <Copyable value={name} what="domain">
        <RowLink href={`/domains/${id}`}>
          <Clipped text={name} className={`mono ${classes.name}`} />
        </RowLink>
      </Copyable>
    ),
  },
  {
    header: 'DMARC',
    width: 100,
    sortBy: 'dmarc_policy',
    firstOrder: 'desc',
    skeletonWidth: 64,
    cell: (domain) => {
      const { dmarc_policy: policy, dns_status } = domain;
      if (policy === 'unknown') return <span className="soft">No answer</span>;
      if (policy === null && dns_status === 'unchecked') return <span className="soft">Not checked</span>;
      const weakness = dmarcWeakness(domain);
      return weakness ? <StatusMark status="warning">{weakness}</StatusMark> : <span className="soft">{policy}</span>;
    },
  },
  {
    header: 'Description',
    width: 176,
    maxWidth: 400,
    isOptional: true,
    mobile: 'under',
    skeletonWidth: 160,
    className: 'soft',
    cell: (domain) => (
      <>
        <NarrowWarnings domain={domain} />
        {problems.has(domain.id) && (
          <span className={`only-narrow ${classes.problem}`}>
            <Clipped text={problems.get(domain.id)} />
          </span>
        )}
        <Clipped text={domain.description} className={problems.has(domain.id) ? 'only-wide' : ''} />
      </>
    ),
  },
  {
    header: 'Mailboxes',
    width: 92,
    kind: 'figure',
    skeletonWidth: 24,
    cell: ({ id, mailbox_count, max_mailboxes }) => (
      <OutOf count={mailbox_count} limit={max_mailboxes} what="mailboxes" href={`/mailboxes?domain=${id}`} />
    ),
  },
  {
    header: 'Aliases',
    width: 92,
    kind: 'figure',
    skeletonWidth: 24,
    cell: ({ id, alias_count, max_aliases }) => (
      <OutOf count={alias_count} limit={max_aliases} what="aliases" href={`/aliases?domain=${id}`} />
    ),
  },
  {
    header: 'Hourly limit',
    isOptional: true,
    width: 84,
    kind: 'figure',
    skeletonWidth: 40,
    className: 'soft',
    cell: ({ hourly_send_limit }) => (hourly_send_limit === null ? 'Default' : formatCount(hourly_send_limit)),
  },
  { ...addedColumn(), width: 100, maxWidth: 112 },
];

/** Receiving servers deliver forged mail without a policy, and with the policy `none`. */
function dmarcWeakness({ dmarc_policy: policy, dns_status }: Domain): string | null {
  if (policy === null) return dns_status === 'unchecked' ? null : 'Missing';
  return policy === 'none' ? policy : null;
}

/** Shows the warnings that other columns have on a wide screen. */
function NarrowWarnings({ domain }: { domain: Domain }) {
  const { active, mailbox_count, max_mailboxes, alias_count, max_aliases } = domain;
  const weakness = active && dmarcWeakness(domain);
  const texts = [
    weakness && `DMARC ${weakness.toLowerCase()}`,
    fullText(mailbox_count, max_mailboxes, 'mailboxes'),
    fullText(alias_count, max_aliases, 'aliases'),
  ].filter(Boolean);
  if (texts.length === 0) return null;
  return (
    <span className={`only-narrow ${classes.warnings}`}>
      <StatusMark status="warning">{texts.join(', ')}</StatusMark>
    </span>
  );
}

function fullText(count: number, limit: number | null, what: string): string | null {
  return limit !== null && isFull(count, limit) ? `${formatCount(count)} of ${formatCount(limit)} ${what}` : null;
}

function isFull(count: number, limit: number | null): boolean {
  return limit !== null && count >= limit;
}

type OutOfProps = { count: number; limit: number | null; what: string; href: string };

/** How many there are, below each other in all rows, and the limit. */
function OutOf({ count, limit, what, href }: OutOfProps) {
  const isAtLimit = isFull(count, limit);
  return (
    <span className={classes.outOf} data-full={isAtLimit || undefined} title={isAtLimit ? 'Limit reached' : undefined}>
      {isAtLimit && <StatusMark status="warning" shapeOnly />}
      <NearLink href={href}>
        {formatCount(count)}
        <span className="sr-only"> {what}</span>
      </NearLink>
      <span className={classes.limit}>{limit !== null && ` of ${formatCount(limit)}`}</span>
    </span>
  );
}
