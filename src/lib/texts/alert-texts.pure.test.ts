import { expect, it } from 'vitest';
import { sentText } from './alert-texts';

it('says that the count of a spike is the one when it was raised, and the limit of the other alerts', () => {
  expect(sentText({ kind: 'volume_spike', count: 103, expected: 7.14 })).toBe(
    '103 messages in an hour when raised (usually 7.1).',
  );
  expect(
    sentText({ kind: 'volume_spike', count: 3, expected: 1, text: 'They had 300 recipients (usually 1.5).' }),
  ).toBe('3 messages in an hour when raised (usually 1.0). They had 300 recipients (usually 1.5).');
  expect(sentText({ kind: 'mailbox_suspended', count: 200, expected: 200 })).toBe(
    'Tried to send more than 200 messages in an hour.',
  );
  expect(sentText({ kind: 'rate_limited', count: 1200, expected: 1000 })).toBe(
    '1,200 messages in an hour (limit 1,000).',
  );
});
