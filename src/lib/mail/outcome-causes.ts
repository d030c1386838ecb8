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

export type OutcomeCause = (typeof OUTCOME_CAUSES)[number];
