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

export const EVENT_DESCRIPTIONS: Record<EventType, string> = {
  'mail.sent': 'Your mail server accepted the message',
  'mail.delivered': 'Accepted by the receiving server, per recipient',
  'mail.bounced': 'Rejected or deferred by the receiving server',
  'mail.failed': 'Couldn’t be sent, or your mail server gave up',
  'mail.suppressed': 'Left out of a message because the recipient is suppressed',
  'mail.complained': 'The recipient reported the message as spam',
  'mail.unsubscribed': 'The recipient unsubscribed from a mailing list',
  'mail.received': 'A message arrived in a mailbox',
  'mail.received.full': 'Like mail.received, with the full message; can be many megabytes',
  'mail.spam': 'An incoming message was flagged as spam',
  'domain.dns_changed': 'A check found a domain’s DNS records changed',
  'system.alert': 'An alert was opened, or closed because its cause is gone',
};
