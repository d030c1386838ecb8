import { expect, it } from 'vitest';
import type { Outcome } from '../finish';
import { createProvenEndpoints } from './lanes';

const PROMPT = outcome({ durationMs: 999 });
const SLOW = outcome({ durationMs: 1_000 });
const FAILED = outcome({ durationMs: 5, statusCode: 503, failure: 'status' });

it('lists an endpoint only after it succeeded within a second', () => {
  const endpoints = createProvenEndpoints();
  expect(endpoints.list(0)).toEqual([]);
  endpoints.record('slow', SLOW, 0);
  endpoints.record('failed', FAILED, 0);
  endpoints.record('prompt', PROMPT, 0);
  expect(endpoints.list(0)).toEqual(['prompt']);
});

it.each([
  ['a failure', FAILED],
  ['a slow response', SLOW],
])('removes an endpoint after %s, and no other', (_, last) => {
  const endpoints = createProvenEndpoints();
  endpoints.record('one', PROMPT, 0);
  endpoints.record('other', PROMPT, 0);
  endpoints.record('one', last, 1);
  expect(endpoints.list(1)).toEqual(['other']);
  endpoints.record('one', PROMPT, 2);
  expect(endpoints.list(2).toSorted()).toEqual(['one', 'other']);
});

it('removes an endpoint 10 seconds after its last prompt response', () => {
  const endpoints = createProvenEndpoints();
  endpoints.record('quiet', PROMPT, 0);
  endpoints.record('busy', PROMPT, 0);
  endpoints.record('busy', PROMPT, 5_000);
  expect(endpoints.list(10_000).toSorted()).toEqual(['busy', 'quiet']);
  expect(endpoints.list(10_001)).toEqual(['busy']);
  expect(endpoints.list(15_000)).toEqual(['busy']);
  expect(endpoints.list(15_001)).toEqual([]);
});

function outcome(over: Partial<Outcome>): Outcome {
  const answered = { startedAt: new Date(0), statusCode: 200, failure: null, answer: '', remoteAddress: null };
  return { ...answered, durationMs: 5, ...over };
}
