import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { SectionHeading } from '@/components/layout/section-heading';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { Badge } from '@/components/text/badge';
import { formatCount, formatPlural, formatShare } from '@/lib/format';
import type { DmarcSource } from '../../dmarc/schema';
import classes from '../reports.module.css';

const ADVICE: Record<DmarcSource['advice'], { status: Status; label: string; rank: number }> = {
  fix: { status: 'warning', label: 'Fix', rank: 0 },
  block: { status: 'failed', label: 'Block', rank: 1 },
  keep: { status: 'on', label: 'Keep', rank: 2 },
};

type DmarcSourcesProps = { sources: DmarcSource[]; total: number };

/** The addresses that send with the domain's name: what to fix first, then what to block and to keep. */
export function DmarcSources({ sources, total }: DmarcSourcesProps) {
  const rows = [...sources].sort((one, other) => ADVICE[one.advice].rank - ADVICE[other.advice].rank);
  const count = (advice: DmarcSource['advice']) => sources.filter((source) => source.advice === advice).length;
  return (
    <section aria-labelledby="sources">
      <SectionHeading title="Sources" id="sources">
        <span className="quiet">
          {formatCount(count('fix'))} to fix, {formatCount(count('block'))} to block, {formatCount(count('keep'))} to
          keep
          {total > sources.length &&
            ` among the ${formatPlural(sources.length, 'largest', 'largest')} of ${formatCount(total)}`}
        </span>
      </SectionHeading>
      <DataTable
        caption="Sources of mail with the domain’s name, what to fix first"
        className={classes.rows}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ ip }) => ip}
      />
    </section>
  );
}

const COLUMNS: DataTableColumn<DmarcSource>[] = [
  {
    header: 'Advice',
    width: 136,
    kind: 'mark',
    mobile: 'mark',
    cell: ({ advice }) => <StatusMark status={ADVICE[advice].status}>{ADVICE[advice].label}</StatusMark>,
  },
  {
    header: 'Source',
    width: 272,
    mobile: 'lead',
    cell: ({ ip, hostname, organisation, is_ours }) => (
      <span className={classes.source}>
        <span className="clip">
          <b className="strong">{organisation ?? hostname ?? ip}</b> {is_ours && <Badge>Yours</Badge>}
        </span>
        <span className="mono quiet clip" title={hostname ?? ip}>
          {ip}
        </span>
      </span>
    ),
  },
  {
    header: 'Why',
    mobile: 'under',
    className: `soft ${classes.reason}`,
    cell: ({ reason }) => reason,
  },
  {
    header: 'Messages',
    width: 96,
    kind: 'figure',
    mobile: 'side',
    cell: ({ messages }) => formatCount(messages),
  },
  {
    header: 'Passed',
    width: 88,
    kind: 'figure',
    mobile: 'none',
    cell: ({ aligned, messages }) => formatShare(aligned, messages),
  },
];
