import type { Hop } from '@/components/marks/timeline';
import { formatClock, formatMoment, formatStampDay } from '@/lib/format';
import type { Delivery, DeliveryAttempt } from '../../schema';
import classes from './attempt-hops.module.css';
import { FAILURE_CODES, formatAfter, formatDuration, formatUntil, responseLabel } from './attempt-labels';

type AttemptHopsOptions = {
  delivery: Delivery;
  selected: number | undefined;
  isInactive: boolean;
  now: number;
  onSelect: (number: number) => void;
};

/** A selectable stamp for each attempt, and one for the next attempt. */
export function attemptHops({ delivery, selected, isInactive, now, onSelect }: AttemptHopsOptions): Hop[] {
  const { attempts } = delivery;
  const made = attempts.map((attempt, index): Hop => {
    const { number, started_at: at, status_code: code, failure } = attempt;
    const before = attempts[index - 1];
    return {
      id: String(number),
      code: code === null ? FAILURE_CODES[failure ?? 'status'] : String(code),
      state: failure === null ? 'delivered' : 'failed',
      rim: [rimOf(number), formatStampDay(at)],
      title: (
        <button
          type="button"
          className={classes.select}
          aria-pressed={number === selected}
          onClick={() => onSelect(number)}
        >
          Attempt {number}
        </button>
      ),
      at: formatMoment(at),
      dateTime: at,
      after: before && formatAfter(before.started_at, at),
      detail: detailOf(attempt),
    };
  });
  const next = nextHop(delivery, isInactive, now);
  return next ? [...made, next] : made;
}

function nextHop(delivery: Delivery, isInactive: boolean, now: number): Hop | null {
  const { in_flight: isInFlight, next_attempt_at: at, attempt_count: made, attempts_left: left } = delivery;
  if (left === 0 || at === null) return null;
  const day = formatStampDay(new Date(isInFlight ? now : at).toISOString());
  const hop = { id: 'next', state: 'pending' as const, rim: [rimOf(made + 1), day] as [string, string] };
  if (isInFlight) return { ...hop, code: 'NOW', title: 'In progress', detail: 'Up to 10 s' };
  if (isInactive) return { ...hop, code: 'WAIT', title: 'On hold', detail: 'Webhook is inactive' };
  return {
    ...hop,
    code: formatClock(at),
    title: left === 1 && made > 0 ? 'Last attempt' : 'Next attempt',
    at: formatMoment(at),
    dateTime: at,
    detail: <span suppressHydrationWarning>{formatUntil(at, now)}</span>,
  };
}

function rimOf(number: number): string {
  return number === 1 ? 'FIRST' : `RETRY ${number - 1}`;
}

function detailOf(attempt: DeliveryAttempt): string {
  const { status_code: code, duration_ms: durationMs, failure } = attempt;
  if (code !== null) return `${code}, ${formatDuration(durationMs)}`;
  return failure === 'timeout' ? responseLabel(attempt) : `${responseLabel(attempt)}, ${formatDuration(durationMs)}`;
}
