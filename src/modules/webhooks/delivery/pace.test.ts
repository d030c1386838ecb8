import { expect, it } from 'vitest';
import type { Outcome } from './finish';
import { createPace } from './pace';

const PROMPT = outcome({ durationMs: 999 });
const SLOW = outcome({ durationMs: 1_000 });
const FAILED = outcome({ durationMs: 5, statusCode: 503, failure: 'status' });

it('counts an endpoint as proven only once it answered well, and within a second', () => {
  const pace = createPace();
  expect(pace.proven(0)).toEqual([]);
  pace.note('slow', SLOW, 0);
  pace.note('failed', FAILED, 0);
  pace.note('prompt', PROMPT, 0);
  expect(pace.proven(0)).toEqual(['prompt']);
});

it.each([
  ['a failure', FAILED],
  ['a slow answer', SLOW],
])('is over for an endpoint after %s, and for no other', (_, last) => {
  const pace = createPace();
  pace.note('one', PROMPT, 0);
  pace.note('other', PROMPT, 0);
  pace.note('one', last, 1);
  expect(pace.proven(1)).toEqual(['other']);
  pace.note('one', PROMPT, 2);
  expect(pace.proven(2).toSorted()).toEqual(['one', 'other']);
});

it('is forgotten 10 seconds after the last prompt answer', () => {
  const pace = createPace();
  pace.note('quiet', PROMPT, 0);
  pace.note('busy', PROMPT, 0);
  pace.note('busy', PROMPT, 5_000);
  expect(pace.proven(10_000).toSorted()).toEqual(['busy', 'quiet']);
  expect(pace.proven(10_001)).toEqual(['busy']);
  expect(pace.proven(15_000)).toEqual(['busy']);
  expect(pace.proven(15_001)).toEqual([]);
});

function outcome(over: Partial<Outcome>): Outcome {
  const answered = { startedAt: new Date(0), statusCode: 200, failure: null, answer: '', remoteAddress: null };
  return { ...answered, durationMs: 5, ...over };
}
