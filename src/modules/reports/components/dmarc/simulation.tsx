import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import type { DmarcPolicy } from '@/lib/mail/dmarc';
import type { DomainDmarc } from '../../dmarc/schema';
import classes from '../reports.module.css';

type Row = { policy: 'quarantine' | 'reject' } & DomainDmarc['simulation']['reject'];

type SimulationProps = { simulation: DomainDmarc['simulation']; current: DmarcPolicy | null };

/** The effect that stricter policies would have had in the period. */
export function Simulation({ simulation, current }: SimulationProps) {
  const rows = (['quarantine', 'reject'] as const)
    .filter((policy) => current !== 'reject' && policy !== current)
    .map((policy) => ({ policy, ...simulation[policy] }));
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="simulation">
      <SectionHeading title="With a stricter policy" id="simulation" isUnderlined>
        <span className="quiet">What it would have done in this period</span>
      </SectionHeading>
      <DataTable
        caption="Effect of stricter policies"
        className={classes.rows}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ policy }) => policy}
      />
    </section>
  );
}

const COLUMNS: DataTableColumn<Row>[] = [
  {
    header: 'Effect',
    width: 136,
    kind: 'mark',
    mobile: 'mark',
    cell: ({ legitimate_messages: lost }) =>
      lost === 0 ? <StatusMark status="on">No loss</StatusMark> : <StatusMark status="warning">Losses</StatusMark>,
  },
  {
    header: 'Policy',
    width: 124,
    mobile: 'lead',
    className: 'mono',
    cell: ({ policy }) => `p=${policy}`,
  },
  {
    header: 'What happens',
    mobile: 'under',
    className: `soft ${classes.reason}`,
    cell: ({ policy, messages, legitimate_messages: lost }) =>
      `${formatCount(messages)} more messages ${policy === 'reject' ? 'rejected' : 'filed as spam'}, ${
        lost === 0
          ? 'none of them from a source that is yours'
          : `${formatCount(lost)} of them from sources that are yours or pass at times`
      }`,
  },
];
