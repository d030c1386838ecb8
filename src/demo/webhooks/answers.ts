import type { AttemptFailure } from '@/modules/webhooks/schema';
import type { Random } from '../random';

/** An endpoint's response to one attempt. */
export type Answer = 'accepted' | 'overloaded' | 'crashed' | 'timeout' | 'certificate' | 'refused' | 'throttled';

type Outcome = {
  durationMs: number;
  statusCode: number | null;
  failure: AttemptFailure | null;
  answer: string;
};

const HEAD = 'server: nginx\ncontent-type: application/json';

export function outcomeOf(random: Random, answer: Answer): Outcome {
  switch (answer) {
    case 'accepted':
      return { ...answered(200, 'OK', '{"ok":true}'), durationMs: random.int(38, 410), failure: null };
    case 'overloaded':
      return {
        ...answered(503, 'Service Unavailable', '{"error":"maintenance"}'),
        durationMs: random.int(20, 90),
        failure: 'status',
      };
    case 'crashed':
      return {
        ...answered(500, 'Internal Server Error', '{"error":"deadlock detected"}'),
        durationMs: random.int(400, 2_900),
        failure: 'status',
      };
    case 'throttled':
      return { ...answered(429, 'Too Many Requests', ''), durationMs: random.int(15, 60), failure: 'status' };
    case 'timeout':
      return { ...unanswered('timeout', 'The endpoint did not answer in full in time.'), durationMs: 10_000 };
    case 'certificate':
      return {
        ...unanswered('tls', 'The certificate of the endpoint has expired.'),
        durationMs: random.int(60, 140),
      };
    case 'refused':
      return {
        ...unanswered('connect', 'The endpoint refused the connection, or there is no way to it.'),
        durationMs: random.int(2, 30),
      };
  }
}

function answered(statusCode: number, reason: string, body: string) {
  return { statusCode, answer: `HTTP/1.1 ${statusCode} ${reason}\n${HEAD}\n\n${body}`.trimEnd() };
}

function unanswered(failure: AttemptFailure, answer: string) {
  return { statusCode: null, failure, answer };
}
