import type { StampState } from '@/components/marks/stamp';
import type { MessageEvent } from '../../schema';

type WebhookStatus = NonNullable<MessageEvent['detail']['status']>;
export type HopTemplate = { code: string; state: StampState; rim: string; title: string };

const TEMPLATES: Record<string, HopTemplate> = {
  accepted: { code: 'API', state: 'passed', rim: 'POSTROOM', title: 'Accepted by Postroom' },
  rescheduled: { code: 'TIME', state: 'pending', rim: 'POSTROOM', title: 'Rescheduled' },
  postponed: { code: 'WAIT', state: 'deferred', rim: 'POSTROOM', title: 'Mail server not reached, will retry' },
  cancelled: { code: 'END', state: 'failed', rim: 'POSTROOM', title: 'Cancelled' },
  suppressed: { code: 'SKIP', state: 'failed', rim: 'POSTROOM', title: 'Left out: recipient suppressed' },
  labels_ignored: { code: 'SKIP', state: 'deferred', rim: 'POSTROOM', title: 'Tags or metadata left out' },
  queued: { code: 'MTA', state: 'passed', rim: 'MAIL SERVER', title: 'Queued by your mail server' },
  refused: { code: '5XX', state: 'failed', rim: 'MAIL SERVER', title: 'Rejected by your mail server' },
  uncertain: { code: '?', state: 'deferred', rim: 'MAIL SERVER', title: 'No reply from your mail server' },
  delivered: { code: '250', state: 'delivered', rim: 'REMOTE', title: 'Delivered' },
  deferred: { code: '4XX', state: 'deferred', rim: 'REMOTE', title: 'Deferred by the receiving server' },
  bounced: { code: '550', state: 'bounced', rim: 'REMOTE', title: 'Rejected by the receiving server' },
  failed: { code: 'END', state: 'failed', rim: 'MAIL SERVER', title: 'Gave up retrying' },
  delayed: { code: 'WAIT', state: 'deferred', rim: 'REMOTE', title: 'Delayed at the receiving server' },
  relayed: { code: 'FWD', state: 'passed', rim: 'REMOTE', title: 'Relayed to a server that sends no reports' },
  complained: { code: 'SPAM', state: 'bounced', rim: 'REMOTE', title: 'Reported as spam by the recipient' },
  unsubscribed: { code: 'UNSUB', state: 'failed', rim: 'RECIPIENT', title: 'The recipient unsubscribed' },
  resubscribed: { code: 'SUB', state: 'passed', rim: 'RECIPIENT', title: 'The recipient subscribed again' },
  held: { code: 'HOLD', state: 'deferred', rim: 'MAIL SERVER', title: 'Held in the queue by an admin' },
  released: { code: 'GO', state: 'passed', rim: 'MAIL SERVER', title: 'Released from hold' },
  received: { code: 'IN', state: 'delivered', rim: 'MAILBOX', title: 'Delivered to the mailbox' },
  forwarded: { code: 'FWD', state: 'passed', rim: 'ALIAS', title: 'Forwarded by an alias' },
  spam: { code: 'SPAM', state: 'passed', rim: 'FILTER', title: 'Marked as spam' },
};

/** The receiving server was not reached or did not reply. */
const NO_REPLY_TEMPLATES: Record<string, HopTemplate> = {
  deferred: { code: 'WAIT', state: 'deferred', rim: 'MAIL SERVER', title: 'Delivery attempt failed' },
  bounced: { code: '5XX', state: 'bounced', rim: 'MAIL SERVER', title: 'Returned by your mail server' },
};
const UNKNOWN_RESULT: HopTemplate = {
  code: '?',
  state: 'failed',
  rim: 'MAIL SERVER',
  title: 'Left the queue, result unknown',
};
const NOT_SUBMITTED: HopTemplate = {
  code: 'END',
  state: 'failed',
  rim: 'MAIL SERVER',
  title: 'Your mail server could not be reached',
};
const NOT_ALLOWED: HopTemplate = { code: 'END', state: 'failed', rim: 'POSTROOM', title: 'Not sent when it was due' };
const RETURNED: HopTemplate = { code: 'DSN', state: 'bounced', rim: 'REMOTE', title: 'Bounced after it was accepted' };
const SCHEDULED: HopTemplate = { code: 'API', state: 'pending', rim: 'POSTROOM', title: 'Scheduled' };
const HELD: HopTemplate = { code: 'HOLD', state: 'deferred', rim: 'POSTROOM', title: 'Held: a backup was restored' };
const DELETED_FROM_QUEUE: HopTemplate = {
  code: 'END',
  state: 'failed',
  rim: 'MAIL SERVER',
  title: 'Deleted from the queue',
};
/** For inbound mail, at a local mailbox. */
const MAILBOX_TEMPLATES: Record<string, HopTemplate> = {
  deferred: { code: 'WAIT', state: 'deferred', rim: 'MAILBOX', title: 'Deferred by the mailbox' },
  bounced: { code: '5XX', state: 'bounced', rim: 'MAILBOX', title: 'Rejected by the mailbox' },
};

const READ_AS_REPORT: HopTemplate = { code: 'READ', state: 'delivered', rim: 'POSTROOM', title: 'Read as a report' };
const REPORTS_DEFERRED: HopTemplate = {
  code: 'WAIT',
  state: 'deferred',
  rim: 'POSTROOM',
  title: 'The report could not be stored yet',
};

/** By the status of the webhook delivery. */
const WEBHOOK_TEMPLATES: Record<WebhookStatus, Omit<HopTemplate, 'rim'>> = {
  pending: { code: 'HOOK', state: 'pending', title: 'Webhook delivery pending' },
  retrying: { code: 'HOOK', state: 'deferred', title: 'Webhook failed, will retry' },
  delivered: { code: 'HOOK', state: 'delivered', title: 'Webhook delivered' },
  abandoned: { code: 'HOOK', state: 'failed', title: 'Webhook delivery abandoned' },
};

/** How a step of a trace is shown. */
export function templateOf({ type, detail }: MessageEvent): HopTemplate {
  const { status, cause, route, send_at: sendAt } = detail;
  if (status) return { ...WEBHOOK_TEMPLATES[status], rim: 'WEBHOOK' };
  if (cause === 'deleted') return DELETED_FROM_QUEUE;
  if (cause === 'not_submitted') return NOT_SUBMITTED;
  if (cause === 'not_allowed') return NOT_ALLOWED;
  if (cause === 'bounce_report') return RETURNED;
  if (sendAt && type === 'accepted') return SCHEDULED;
  if (sendAt === null) return HELD;
  if (cause === 'unknown') return UNKNOWN_RESULT;
  if (route === 'reports' && type === 'received') return READ_AS_REPORT;
  if (route === 'reports' && type === 'deferred') return REPORTS_DEFERRED;
  const special = route === 'mailbox' ? MAILBOX_TEMPLATES[type] : cause === 'no_reply' && NO_REPLY_TEMPLATES[type];
  if (special) return special;
  const template = TEMPLATES[type] ?? { code: '…', state: 'passed', rim: 'POSTROOM', title: type };
  if (route !== 'filter') return template;
  return { ...template, title: detail.spam_action === 'quarantine' ? 'Quarantined as spam' : 'Rejected as spam' };
}
