import { expect, it } from 'vitest';
import type { SentLately } from '../../schema';
import { misuseSigns, usualFigures } from './misuse-signs';

const SENT = {
  ...{ messages: 12, recipients: 14, undelivered: 1, usual_per_day: 9.4, usual_recipients_per_day: 12 },
  ...{ sources: [], new_client_addresses: [], sign_ins_blocked_at: null },
} as unknown as SentLately;
const ACTIVE = { suspended: false, suspension_reason: null, suspension_note: '' };

it('finds no sign in usual figures, and says what they are', () => {
  expect(misuseSigns(ACTIVE, SENT, [])).toEqual([]);
  expect(usualFigures(SENT)).toBe(
    '12 messages, usually 9.4 a day. 1 of 14 recipients bounced or failed. No blocked sign-ins.',
  );
  expect(usualFigures({ ...SENT, messages: 0, usual_per_day: 0 })).toBe(
    'No messages, usually none. No blocked sign-ins.',
  );
});

it('names each sign with its figure beside the usual one', () => {
  const sent: SentLately = {
    ...SENT,
    ...{ messages: 200, recipients: 200, undelivered: 162, usual_per_day: 2.1 },
    new_client_addresses: ['203.0.113.66'],
    sign_ins_blocked_at: '2026-11-29T01:00:00.000Z',
  };
  const note = 'Tried to send more than 200 messages in an hour.';
  expect(misuseSigns({ suspended: true, suspension_reason: 'rate_limit', suspension_note: note }, sent, [])).toEqual([
    note,
    '200 messages, usually 2.1 a day.',
    '162 of 200 recipients bounced or failed (81.0%).',
    'Sent from 203.0.113.66, which it didn’t send from in the week before.',
    'Sign-ins were blocked after many different wrong passwords.',
  ]);
});

it('takes many recipients of few messages for a sign', () => {
  const few = { ...SENT, messages: 3, undelivered: 0 };
  expect(misuseSigns(ACTIVE, { ...few, recipients: 300 }, [])).toEqual([
    '3 messages to 300 recipients, usually to 12 a day.',
  ]);
  expect(misuseSigns(ACTIVE, { ...few, recipients: 300, usual_recipients_per_day: 60 }, [])).toEqual([]);
  expect(misuseSigns(ACTIVE, { ...few, recipients: 199 }, [])).toEqual([]);
});

it('takes for a sign that filters are edited from a new address', () => {
  const sent = { ...SENT, since: '2026-11-29T00:00:00.000Z' };
  const signIn = (client_address: string, protocol: string, first_at: string) => ({
    ...{ client_address, protocol, first_at },
    last_at: '2026-11-29T02:00:00.000Z',
  });
  const signIns = [
    signIn('203.0.113.66', 'sieve', '2026-11-29T01:00:00.000Z'),
    signIn('203.0.113.66', 'imap', '2026-11-29T01:00:00.000Z'),
    signIn('192.0.2.1', 'sieve', '2026-11-20T01:00:00.000Z'),
  ];
  expect(misuseSigns(ACTIVE, sent, signIns)).toEqual([
    'Signed in from 203.0.113.66 to edit filters, for the first time in 30 days.',
  ]);
});

it('takes neither a few messages nor the decision of an admin for a sign', () => {
  expect(misuseSigns(ACTIVE, { ...SENT, messages: 19, usual_per_day: 0 }, [])).toEqual([]);
  expect(misuseSigns(ACTIVE, { ...SENT, messages: 20, usual_per_day: 0 }, [])).toHaveLength(1);
  const byAdmin = { suspended: true, suspension_reason: 'manual', suspension_note: 'Moving' } as const;
  expect(misuseSigns(byAdmin, SENT, [])).toEqual([]);
});
