import type { DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { TextButton } from '@/components/text/text-button';
import { TimeAgo } from '@/components/values/time-ago';
import { limitsText, valueText } from '@/lib/health/value-text';
import type { HealthCheck, HealthDay } from '../schema';
import classes from './check-columns.module.css';
import { MARKS } from './check-marks';
import { CheckSparkline } from './check-sparkline';

type Options = {
  /** The last day of all checks, once it is known. */
  days: HealthDay[] | undefined;
  onShowHistory: (check: HealthCheck) => void;
};

export function checkColumns({ days, onShowHistory }: Options): DataTableColumn<HealthCheck>[] {
  return [
    {
      header: 'Check',
      mobile: 'lead',
      cell: ({ title, subject }) => (
        <span className="clip" title={subject ? `${title}, ${subject}` : title}>
          {title}
          {subject && <span className="mono soft"> {subject}</span>}
        </span>
      ),
    },
    {
      header: 'Status',
      width: 104,
      mobile: 'tail',
      cell: ({ status }) => <StatusMark status={MARKS[status][0]}>{MARKS[status][1]}</StatusMark>,
    },
    {
      header: 'Value',
      width: 112,
      maxWidth: 136,
      kind: 'figure',
      mobile: 'under',
      cell: ({ value, unit, threshold }) => (
        <span className={classes.value}>
          {/* A check without a unit only succeeds or fails. */}
          {unit ? valueText(value, unit) : '–'}
          {threshold && <span className="only-narrow soft">{limitsText(threshold, unit)}</span>}
        </span>
      ),
    },
    {
      header: 'Limits',
      width: 336,
      maxWidth: 420,
      isOptional: true,
      className: 'soft',
      cell: ({ threshold, unit }) => limitsText(threshold, unit) || '–',
    },
    {
      header: 'Since',
      width: 92,
      maxWidth: 112,
      isOptional: true,
      className: 'soft',
      cell: ({ since }) => <TimeAgo iso={since} />,
    },
    {
      header: 'Last day',
      width: 88,
      kind: 'control',
      cell: (check) => (
        <TextButton
          aria-label={`Last day: ${check.title}${check.subject ? ` ${check.subject}` : ''}`}
          onClick={() => onShowHistory(check)}
        >
          <CheckSparkline
            hours={days?.find(({ name, subject }) => name === check.name && subject === check.subject)?.hours ?? []}
            now={Date.parse(check.checked_at)}
          />
        </TextButton>
      ),
    },
  ];
}
