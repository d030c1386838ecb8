import { expect, it } from 'vitest';
import { describeAlert, messagePartsOf } from './message';
import { AlertKind } from './schema';

const FACTS = { subject: 'mx1.example', count: 1206, expected: 1000, text: 'The value is 20 %. Enlarge the disk.' };

it.each(AlertKind.options)('of %s is a sentence that names the subject, and the details', (kind) => {
  const { summary, details } = messagePartsOf({ kind, ...FACTS });
  expect(summary).toMatch(/^[^\n]*mx1\.example[^\n]*\.$/);
  expect(describeAlert({ kind, ...FACTS })).toBe(details ? `${summary} ${details}` : summary);
});

it('has the numbers with separators and in the singular', () => {
  expect(messagePartsOf({ kind: 'webhook_failing', ...FACTS }).summary).toContain('failed 1,206 times in a row');
  const { summary, details } = messagePartsOf({ kind: 'rate_limited', ...FACTS, count: 1, expected: 1 });
  expect(summary).toBe('mx1.example sent 1 message in an hour; the limit is 1.');
  expect(details).toBe('Further messages were rejected.');
});

it('about the system has what was found in the details', () => {
  const { summary, details } = messagePartsOf({ kind: 'system_down', ...FACTS });
  expect([summary, details]).toEqual(['mx1.example is down.', FACTS.text]);
});
