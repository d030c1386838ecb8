import { Cell, Clipped } from '@/components/data-table/cells';
import type { ListColumn } from '@/components/data-table/data-table';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { Badge } from '@/components/text/badge';
import { TextButton } from '@/components/text/text-button';
import { useTimeZone } from '@/components/values/use-time-zone';
import { formatClock, formatClockSeconds, formatCount, formatFull, formatPlural } from '@/lib/format';
import type { auditList } from '../lists';
import type { AuditEntry } from '../schema';
import classes from './audit-columns.module.css';
import { isSend, type Run, sendersOf } from './fold-runs';
import { isUnconfirmed, sentenceOf, textOf } from './sentences/sentence';

const OUTCOME_MARKS: Record<AuditEntry['outcome'], [Status, string]> = {
  success: ['on', 'Success'],
  denied: ['bounced', 'Denied'],
  error: ['failed', 'Error'],
};

type AuditColumnsOptions = {
  isNarrow: boolean;
  onOpen: (id: string) => void;
  /** The run that a row stands for. */
  runOf: (entry: AuditEntry) => Run | undefined;
  onUnfold: (entry: AuditEntry) => void;
};

export function auditColumns({
  isNarrow,
  onOpen,
  runOf,
  onUnfold,
}: AuditColumnsOptions): ListColumn<AuditEntry, typeof auditList>[] {
  const columns: (ListColumn<AuditEntry, typeof auditList> | false)[] = [
    {
      header: 'Time',
      width: 80,
      mobile: 'side',
      sortBy: 'created_at',
      skeletonWidth: 56,
      cell: ({ created_at }) => <Clock iso={created_at} />,
    },
    {
      header: 'What happened',
      mobile: 'lead',
      skeletonWidth: 320,
      cell: (entry) => {
        const run = runOf(entry);
        if (run && isSend(entry)) return <Sends run={run} onUnfold={() => onUnfold(entry)} />;
        return (
          <>
            <Cell>
              <button type="button" className={classes.link} data-row={entry.id} onClick={() => onOpen(entry.id)}>
                <EntrySentence entry={entry} />
              </button>
              {sentenceOf(entry).isDryRun && <Badge>Dry run</Badge>}
              {run && (
                <TextButton className={classes.others} onClick={() => onUnfold(entry)}>
                  and {formatCount(run.others.length)} more
                </TextButton>
              )}
            </Cell>
            {entry.outcome !== 'success' && (
              <Cell>
                <Outcome {...entry} />
                <span className={`two-lines soft ${classes.reason}`} title={reasonOf(entry)}>
                  {reasonOf(entry)}
                </span>
              </Cell>
            )}
          </>
        );
      },
    },
    !isNarrow && {
      header: 'IP address',
      width: 144,
      maxWidth: 288,
      isOptional: true,
      skeletonWidth: 96,
      className: 'soft',
      cell: (entry) => <Addresses entries={[entry, ...(runOf(entry)?.others ?? [])]} />,
    },
  ];
  return columns.filter((column) => column !== false);
}

/** The day is at the head of its entries. */
function Clock({ iso }: { iso: string }) {
  useTimeZone();
  return (
    <time dateTime={iso} title={formatFull(iso)}>
      {formatClockSeconds(iso)}
    </time>
  );
}

function Sends({ run, onUnfold }: { run: Run; onUnfold: () => void }) {
  const { actors, via, messages } = sendersOf(run);
  const [first, ...others] = actors;
  const times = [run.entry, ...run.others].map(({ created_at }) => created_at).sort();
  return (
    <Cell>
      <span className={classes.text}>
        <span title={actors.join(', ')}>
          {first} {others.length > 0 && `and ${formatPlural(others.length, 'other')} `}
        </span>
        {via && <span className="soft">{via} </span>}
        sent{' '}
        <TextButton data-row={run.entry.id} className={classes.sends} onClick={onUnfold}>
          {formatPlural(messages, 'message')}
        </TextButton>
        <span className="soft"> since {formatClock(times[0] ?? '')}</span>
      </span>
    </Cell>
  );
}

function Addresses({ entries }: { entries: AuditEntry[] }) {
  const [first, ...others] = new Set(entries.map(({ ip_address: address }) => address));
  if (others.length > 0) return <span title={[first, ...others].join(', ')}>{others.length + 1} addresses</span>;
  return <Clipped text={first} className="mono" />;
}

/** Why it was refused or failed. */
function reasonOf({ details }: AuditEntry): string | undefined {
  return typeof details.message === 'string' ? details.message : undefined;
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
