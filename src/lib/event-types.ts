/** What a webhook can tell; the wildcard `*` stands for all of them in a subscription. */
export const EVENT_TYPES = [
  'mail.sent',
  'mail.delivered',
  'mail.bounced',
  'mail.failed',
  'mail.received',
  'mail.received.full',
  'mail.spam',
] as const;

export const ALL_EVENTS = '*';

export type EventType = (typeof EVENT_TYPES)[number];
