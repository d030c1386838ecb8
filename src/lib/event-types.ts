/** The events that a webhook can subscribe to; in a subscription the wildcard `*` means all of them. */
export const EVENT_TYPES = [
  'mail.sent',
  'mail.delivered',
  'mail.bounced',
  'mail.failed',
  'mail.suppressed',
  'mail.complained',
  'mail.unsubscribed',
  'mail.received',
  'mail.received.full',
  'mail.spam',
  'domain.dns_changed',
  'system.alert',
] as const;

export const ALL_EVENTS = '*';

export type EventType = (typeof EVENT_TYPES)[number];
