import type { DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { TimeAgo } from '@/components/values/time-ago';
import { valueText } from '@/lib/health/value-text';
import type { ScheduledTask } from '../schema';

export const TASK_COLUMNS: DataTableColumn<ScheduledTask>[] = [
  {
    header: 'Task',
    mobile: 'lead',
    cell: ({ name }) => <span className="clip">{titleOf(name)}</span>,
  },
  { header: 'Status', width: 112, mobile: 'tail', cell: Status },
  {
    header: 'Last run',
    width: 112,
    maxWidth: 136,
    mobile: 'under',
    cell: ({ last_run_at: at }) => (at ? <TimeAgo iso={at} /> : '–'),
  },
  {
    header: 'Duration',
    width: 112,
    kind: 'figure',
    isOptional: true,
    className: 'soft',
    cell: ({ last_duration_ms: ms }) =>
      ms === null || ms < 1_000 ? valueText(ms, 'ms') : valueText(Math.round(ms / 1_000), 's'),
  },
  {
    header: 'Next run',
    width: 112,
    isOptional: true,
    className: 'soft',
    cell: ({ next_run_at: at }) => (at ? <TimeAgo iso={at} /> : 'Running now'),
  },
];

function Status({ failure, last_run_at: lastRunAt }: ScheduledTask) {
  if (failure !== null) return <StatusMark status="failed" />;
  return lastRunAt ? <StatusMark status="on">OK</StatusMark> : <StatusMark status="pending" />;
}

function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
