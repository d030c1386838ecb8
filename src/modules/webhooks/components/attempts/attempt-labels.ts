import { formatCount } from '@/lib/format';
import type { AttemptFailure, Delivery, DeliveryAttempt } from '../../schema';

/** Shown on the stamp if there is no status code; up to four characters. */
export const FAILURE_CODES: Record<AttemptFailure, string> = {
  status: '?',
  redirect: '3XX',
  timeout: 'T/O',
  dns: 'DNS',
  blocked_address: 'PRIV',
  connect: 'CONN',
  tls: 'TLS',
  broken: 'LOST',
  bad_answer: 'HTTP',
  bad_url: 'URL',
  bad_secret: 'KEY',
};

const FAILURE_LABELS: Record<AttemptFailure, string> = {
  status: 'Error status',
  redirect: 'Redirect',
  timeout: 'No response in 10 s',
  dns: 'Host not found',
  blocked_address: 'Private address',
  connect: 'Connection failed',
  tls: 'TLS failed',
  broken: 'Connection lost',
  bad_answer: 'Invalid HTTP',
  bad_url: 'Invalid URL',
  bad_secret: 'Secret unreadable',
};

/** The status line without the HTTP version, or the reason why there is no response. With a code, `answer` is HTTP text. */
export function responseLabel({ status_code: code, failure, answer }: DeliveryAttempt): string {
  if (code === null) return failure ? FAILURE_LABELS[failure] : 'No response';
  const [line = ''] = answer.split('\n');
  return line.slice(line.indexOf(' ') + 1);
}

export function lastResponse({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last ? responseLabel(last) : '';
}

export function formatDuration(ms: number): string {
  return ms < 1000 ? `${formatCount(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Rounded to minutes, or to seconds below one minute. */
export function formatAfter(fromIso: string, toIso: string): string {
  const seconds = Math.max(0, Math.round((new Date(toIso).getTime() - new Date(fromIso).getTime()) / 1000));
  return `+${formatSpan(seconds)}`;
}

export function formatUntil(iso: string, now: number): string {
  const seconds = Math.round((new Date(iso).getTime() - now) / 1000);
  if (seconds < 1) return 'Due now';
  return `In ${formatSpan(seconds)}`;
}

function formatSpan(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
}
