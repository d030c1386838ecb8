import type { ListColumn } from '@/components/data-table/data-table';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { TimeAgo } from '@/components/values/time-ago';
import { formatCount, formatMoment, formatShare } from '@/lib/format';
import { DNS_PURPOSE_TEXTS, DNS_STATE_PURPOSES } from '@/lib/mail/dns-purposes';
import type { domainStateList } from '../../lists';
import type { DomainState } from '../../states/schema';
import { statusLabel } from '../dns/dns-values';
import { DnsMark } from '../dns-mark';

type Purpose = (typeof DNS_STATE_PURPOSES)[number];

/** As wide as the longest label. MX is a shape only. */
const WIDTHS: Record<Purpose, number> = { mx: 48, spf: 92, dkim: 92, dmarc: 84, mta_sts: 92, tls_rpt: 64 };

const NO_REPORTS = (
  <span className="soft" title="No reports">
    –<span className="sr-only">No reports</span>
  </span>
);

export const STATE_COLUMNS: ListColumn<DomainState, typeof domainStateList>[] = [
  {
    header: 'State',
    width: 104,
    maxWidth: 128,
    kind: 'mark',
    mobile: 'side',
    sortBy: 'dns_status',
    firstOrder: 'desc',
    skeletonWidth: 64,
    cell: ({ dns_status, active }) => <DnsMark status={dns_status} active={active} />,
  },
  ...DNS_STATE_PURPOSES.map(
    (purpose): ListColumn<DomainState, typeof domainStateList> => ({
      header: purpose === 'tls_rpt' ? 'TLS-RPT' : DNS_PURPOSE_TEXTS[purpose].label,
      width: WIDTHS[purpose],
      maxWidth: 136,
      // There is room for one cell of these on a narrow screen, which names all problems.
      mobile: purpose === 'mx' ? 'under' : undefined,
      ...(purpose === 'dmarc' && ({ sortBy: 'dmarc_policy', firstOrder: 'desc' } as const)),
      skeletonWidth: 48,
      cell: (domain) => (
        <>
          <span className="only-wide">
            <RecordState domain={domain} purpose={purpose} />
          </span>
          {purpose === 'mx' && <NarrowState domain={domain} />}
        </>
      ),
    }),
  ),
  {
    header: 'DMARC pass',
    width: 84,
    maxWidth: 120,
    kind: 'figure',
    sortBy: 'dmarc_pass_rate',
    firstOrder: 'asc',
    skeletonWidth: 40,
    cell: ({ id, dmarc_reports: reports }) =>
      reports ? (
        <NearLink
          href={`/domains/${id}?view=reports`}
          title={`${formatCount(reports.failed)} of ${formatCount(reports.messages)} messages failed`}
        >
          {passRate(reports)}
        </NearLink>
      ) : (
        NO_REPORTS
      ),
  },
  {
    header: 'TLS failed',
    width: 72,
    maxWidth: 120,
    kind: 'figure',
    sortBy: 'tls_failures',
    firstOrder: 'desc',
    skeletonWidth: 32,
    cell: ({ tls_reports: reports }) =>
      reports ? (
        <span title={`Of ${formatCount(reports.sessions)} sessions`}>{formatCount(reports.failed_sessions)}</span>
      ) : (
        NO_REPORTS
      ),
  },
  {
    header: 'Checked',
    width: 84,
    maxWidth: 120,
    isOptional: true,
    kind: 'figure',
    sortBy: 'checked_at',
    className: 'soft',
    skeletonWidth: 56,
    cell: (domain) => <Checked domain={domain} />,
  },
];

/** When the check was made that the row shows. Later ones may have got no answer. */
function Checked({ domain: { checked_at, answered_at } }: { domain: DomainState }) {
  if (checked_at === null) return null;
  if (answered_at === checked_at) return <TimeAgo iso={checked_at} />;
  return (
    <span title={`No DNS server answered the check of ${formatMoment(checked_at)}`}>
      <StatusMark status="deferred">{answered_at ? <TimeAgo iso={answered_at} /> : 'No answer'}</StatusMark>
    </span>
  );
}

function RecordState({ domain, purpose }: { domain: DomainState; purpose: Purpose }) {
  const state = domain.records[purpose];
  if (!state)
    return (
      <span className="soft" title="Not checked">
        –<span className="sr-only">Not checked</span>
      </span>
    );
  const mark = MARKS[state.severity];
  if (!mark && state.status === 'missing') return <span className="soft">Not set</span>;
  const label = labelOf(domain, purpose);
  const isPolicy = !mark && state.status === 'ok' && label !== OK;
  if (isPolicy) return <span className="soft">{label}</span>;
  // An inactive domain has nothing to warn about.
  const shown = domain.active ? mark : mark && 'off';
  return (
    <span title={label}>
      <StatusMark
        status={shown ?? (state.status === 'temporary_error' ? 'pending' : 'on')}
        shapeOnly={label === OK || purpose === 'mx'}
      >
        {label}
      </StatusMark>
    </span>
  );
}

/** Most cells say only this, so their shape does. */
const OK = 'OK';

const MARKS: Partial<Record<string, Status>> = { error: 'bounced', warning: 'warning' };

/** The record that was found, or for a policy which it is. */
function labelOf({ records, dmarc_policy: policy, mta_sts_mode: mode }: DomainState, purpose: Purpose): string {
  const status = records[purpose]?.status ?? 'missing';
  if (purpose === 'dmarc' && policy && policy !== 'unknown') return policy;
  if (status !== 'ok') return statusLabel(status);
  return purpose === 'mta_sts' ? mode : OK;
}

/** The problems, or else when there were none. */
function NarrowState({ domain }: { domain: DomainState }) {
  const problems = problemsOf(domain);
  if (problems === '' && domain.checked_at === null) return null;
  return (
    <span className="only-narrow soft">
      {problems}
      {problems === '' && domain.checked_at && (
        <>
          Checked&nbsp;
          <Checked domain={domain} />
        </>
      )}
    </span>
  );
}

/** Returns text like "SPF: Missing, DMARC: none". */
function problemsOf(domain: DomainState): string {
  const found = DNS_STATE_PURPOSES.filter((purpose) => MARKS[domain.records[purpose]?.severity ?? '']);
  return found.map((purpose) => `${DNS_PURPOSE_TEXTS[purpose].label}: ${labelOf(domain, purpose)}`).join(', ');
}

function passRate({ passed, failed }: NonNullable<DomainState['dmarc_reports']>): string {
  return passed + failed === 0 ? '' : formatShare(passed, passed + failed);
}
