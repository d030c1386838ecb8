import { formatCount } from '@/lib/format';
import type { AttemptFailure, Delivery, DeliveryAttempt } from '../../schema';

/** As on the stamp, where there is no status code. */
export const FAILURE_CODES: Record<AttemptFailure, string> = {
  status: '?',
  redirect: '3XX',
  timeout: 'T/O',
  dns: 'DNS',
  blocked_address: 'BAR',
  connect: 'SHUT',
  tls: 'TLS',
  broken: 'CUT',
  bad_answer: 'BAD',
  bad_url: 'URL',
};

const NO_ANSWER: Record<AttemptFailure, string> = {
  status: 'Refused',
  redirect: 'Redirect',
  timeout: 'No answer in 10 s',
  dns: 'Host not found',
  blocked_address: 'Private address',
  connect: 'No connection',
  tls: 'TLS failed',
  broken: 'Connection broke',
  bad_answer: 'Not valid HTTP',
  bad_url: 'Unusable address',
};

/** The status line without its version, or why there is none. */
export function answerWords({ status_code: code, failure, answer }: DeliveryAttempt): string {
  if (code === null) return failure ? NO_ANSWER[failure] : 'Nothing';
  const [line = ''] = answer.split('\n');
  return line.startsWith('HTTP/') ? line.slice(line.indexOf(' ') + 1) : String(code);
}

export function lastAnswerOf({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  return last ? answerWords(last) : '';
}

export function formatTook(ms: number): string {
  return ms < 1000 ? `${formatCount(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** To the minute, and in seconds below one. */
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
