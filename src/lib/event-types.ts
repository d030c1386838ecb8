/** What a webhook can tell; the wildcard `*` stands for all of them in a subscription. */
const EVENT_TYPES = [
  'mail.sent',
  'mail.delivered',
  'mail.bounced',
  'mail.failed',
  'mail.received',
  'mail.received.full',
  'mail.spam',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];
