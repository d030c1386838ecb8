import { expect, it } from 'vitest';
import { messageFilter } from './message-filter';

// A Wednesday, three days after the clocks went forward in Berlin.
const NOW = new Date('2026-04-01T10:00:00Z');
const filterOf = (text: string, zone = 'UTC') => {
  const found = messageFilter(text, NOW, zone);
  return found && [found.label, decodeURIComponent(found.href).replace('/messages?', ''), found.isWhole];
};

it.each([
  ['bounced', 'Bounced messages', 'status=bounced'],
  ['bounces', 'Bounced messages', 'status=bounced'],
  ['messages that were deferred', 'Deferred messages', 'status=deferred'],
  ['failed today', 'Failed messages, today', 'status=failed&since=2026-04-01T00:00:00.000Z'],
  ['today', 'Messages, today', 'since=2026-04-01T00:00:00.000Z'],
  ['incoming past week', 'Inbound messages, last 7 days', 'direction=inbound&since=7d'],
  ['sent last hour', 'Sent messages, last hour', 'accepted=true&since=1h'],
  ['last 24 hours spam', 'Spam messages, last 24 hours', 'status=spam&since=24h'],
  ['canceled', 'Cancelled messages', 'status=cancelled'],
])('understands “%s”', (text, label, query) => {
  expect(filterOf(text)).toEqual([label, query, true]);
});

it.each([
  ['yesterday', '2026-03-31T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ['last week', '2026-03-23T00:00:00.000Z', '2026-03-30T00:00:00.000Z'],
  ['last month', '2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
])('ends “bounced %s” where that period ends', (words, since, until) => {
  expect(filterOf(`bounced ${words}`)?.[1]).toBe(`status=bounced&since=${since}&until=${until}`);
});

it('begins days at midnight in the time zone, also across a change of the clocks', () => {
  const [since, until] = ['2026-03-22T23:00:00.000Z', '2026-03-29T22:00:00.000Z'];
  expect(filterOf('deferred last week', 'Europe/Berlin')?.[1]).toBe(`status=deferred&since=${since}&until=${until}`);
  expect(messageFilter('deferred last week', NOW, 'Europe/Berlin')?.days).toEqual([since, '2026-03-28T23:00:00.000Z']);
});

it('searches for the other words, and offers nothing for words that name no filter', () => {
  expect(filterOf('bounced ann@far.example')).toEqual([
    'Bounced messages matching “ann@far.example”',
    'status=bounced&q=ann@far.example',
    false,
  ]);
  for (const text of ['', 'ann', 'messages', 'send', 'todays news', 'ann today']) expect(filterOf(text)).toBeNull();
});
