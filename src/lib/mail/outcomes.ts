export const MESSAGE_STATUSES = [
  'submitting',
  'sent',
  'deferred',
  'delivered',
  'bounced',
  'failed',
  'received',
  'spam',
  'uncertain',
  'scheduled',
  'cancelled',
] as const;

export const DIRECTIONS = ['outbound', 'inbound'] as const;

/**
 * Why a recipient of a message is deferred, bounced or failed. remote_reply: the receiving server said so in its reply.
 * no_reply: it could not be reached or did not reply. rejected: your mail server rejected the submission. not_submitted:
 * your mail server could not be reached. expired: the queue lifetime ended. deleted: an admin deleted the message from the
 * queue. unknown: the message left the queue and the mail log does not show the result. not_allowed: Postroom did not send a scheduled
 * message when it was due, for example because its API key was revoked. bounce_report: the receiving server accepted the message, and
 * a report came back later that it could not be delivered.
 */
export const OUTCOME_CAUSES = [
  'remote_reply',
  'no_reply',
  'rejected',
  'not_submitted',
  'expired',
  'deleted',
  'unknown',
  'not_allowed',
  'bounce_report',
] as const;

/** The causes of a failure without a reply: its `reason` in events. */
export const UNREPLIED_CAUSES = ['expired', 'deleted', 'not_submitted', 'unknown', 'not_allowed'] as const;

/** The categories of replies, which their enhanced status codes show. */
export const BOUNCE_CATEGORIES = [
  'sender_rejected',
  'invalid_recipient',
  'mailbox_disabled',
  'mailbox_full',
  'message_too_large',
  'remote_system',
  'expired',
  'unreachable',
  'content',
  'policy',
  'other',
] as const;

export type BounceCategory = (typeof BOUNCE_CATEGORIES)[number];

export type OutcomeCause = (typeof OUTCOME_CAUSES)[number];
