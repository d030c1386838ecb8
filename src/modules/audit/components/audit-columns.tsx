import { Cell, Clipped } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { Badge } from '@/components/text/badge';
import { TextButton } from '@/components/text/text-button';
import { TimeAgo } from '@/components/values/time-ago';
import { formatCount } from '@/lib/format';
import type { AuditEntry } from '../schema';
import classes from './audit-columns.module.css';
import { isUnconfirmed, sentenceOf, textOf } from './sentences/sentence';

const OUTCOME_MARKS: Record<AuditEntry['outcome'], [Status, string]> = {
  success: ['on', 'Success'],
  denied: ['bounced', 'Denied'],
  error: ['failed', 'Error'],
};

type AuditColumnsOptions = {
  isNarrow: boolean;
  onOpen: (id: string) => void;
  /** How many entries a row stands for besides its own. */
  othersOf: (entry: AuditEntry) => number;
  onUnfold: (entry: AuditEntry) => void;
};

export function auditColumns({
  isNarrow,
  onOpen,
  othersOf,
  onUnfold,
}: AuditColumnsOptions): DataTableColumn<AuditEntry>[] {
  const columns: (DataTableColumn<AuditEntry> | false)[] = [
    {
      header: 'Outcome',
      width: 112,
      kind: 'mark',
      mobile: 'under',
      // Most are a success; what isn't stands out.
      cell: (entry) =>
        entry.outcome === 'success' ? <span className="quiet only-wide">Success</span> : <Outcome {...entry} />,
    },
    {
      header: 'Time',
      width: 104,
      mobile: 'side',
      sortBy: 'created_at',
      skeletonWidth: 64,
      cell: ({ created_at }) => <TimeAgo iso={created_at} />,
    },
    {
      header: 'What happened',
      mobile: 'lead',
      skeletonWidth: 320,
      cell: (entry) => (
        <Cell>
          <button type="button" className={classes.link} data-row={entry.id} onClick={() => onOpen(entry.id)}>
            <EntrySentence entry={entry} />
          </button>
          {sentenceOf(entry).isDryRun && <Badge>Dry run</Badge>}
          {reasonOf(entry) && <Clipped text={reasonOf(entry)} className={`soft ${classes.reason}`} />}
          {othersOf(entry) > 0 && (
            <TextButton className={classes.others} onClick={() => onUnfold(entry)}>
              and {formatCount(othersOf(entry))} more
            </TextButton>
          )}
        </Cell>
      ),
    },
    !isNarrow && {
      header: 'IP address',
      width: 144,
      maxWidth: 288,
      isOptional: true,
      skeletonWidth: 96,
      className: 'soft',
      cell: ({ ip_address }) => <Clipped text={ip_address} className="mono" />,
    },
  ];
  return columns.filter((column) => column !== false);
}

/** Why it was refused or failed. */
function reasonOf({ outcome, details }: AuditEntry): string | null {
  return outcome !== 'success' && typeof details.message === 'string' ? details.message : null;
}

export function Outcome(entry: Pick<AuditEntry, 'outcome' | 'details'>) {
  if (isUnconfirmed(entry)) return <StatusMark status="uncertain" />;
  const [status, label] = OUTCOME_MARKS[entry.outcome];
  return <StatusMark status={status}>{label}</StatusMark>;
}

export function EntrySentence({ entry }: { entry: AuditEntry }) {
  const sentence = sentenceOf(entry);
  const { actor, via, verb, name, after } = sentence;
  return (
    <span title={textOf(sentence)}>
      {actor} {via && <span className="soft">{via} </span>}
      {verb}
      {name !== null && (
        <>
          {' '}
          <b className="strong">{name}</b>
        </>
      )}
      {after && ` ${after}`}
    </span>
  );
}
