import type { Hop } from '@/components/marks/timeline';
import { formatClock, formatMoment, formatStampDay } from '@/lib/format';
import type { Delivery, DeliveryAttempt } from '../../schema';
import { answerWords, FAILURE_CODES, formatAfter, formatTook, formatUntil } from './attempt-words';

type AttemptHopsOptions = {
  delivery: Delivery;
  picked: number | undefined;
  isHeld: boolean;
  now: number;
  onPick: (number: number) => void;
};

/** A stamp for each attempt, each to be chosen, and one for the next. */
export function attemptHops({ delivery, picked, isHeld, now, onPick }: AttemptHopsOptions): Hop[] {
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
          className="attempt-select"
          aria-pressed={number === picked}
          onClick={() => onPick(number)}
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
  const next = nextHop(delivery, isHeld, now);
  return next ? [...made, next] : made;
}

function nextHop(delivery: Delivery, isHeld: boolean, now: number): Hop | null {
  const { in_flight: isUnderWay, next_attempt_at: at, attempt_count: made, attempts_left: left } = delivery;
  if (left === 0 || at === null) return null;
  const day = formatStampDay(new Date(isUnderWay ? now : at).toISOString());
  const hop = { id: 'next', state: 'pending' as const, rim: [rimOf(made + 1), day] as [string, string] };
  if (isUnderWay) return { ...hop, code: 'NOW', title: 'Under way', detail: 'It has 10 s' };
  if (isHeld) return { ...hop, code: 'WAIT', title: 'Held', detail: 'Until the webhook is on' };
  return {
    ...hop,
    code: formatClock(at),
    title: left === 1 && made > 0 ? 'Last attempt' : 'Next attempt',
    at: formatMoment(at),
    dateTime: at,
    detail: formatUntil(at, now),
  };
}

function rimOf(number: number): string {
  return number === 1 ? 'FIRST' : `RETRY ${number - 1}`;
}

function detailOf(attempt: DeliveryAttempt): string {
  const { status_code: code, duration_ms: took, failure } = attempt;
  if (code !== null) return `${code}, ${formatTook(took)}`;
  return failure === 'timeout' ? answerWords(attempt) : `${answerWords(attempt)}, ${formatTook(took)}`;
}
