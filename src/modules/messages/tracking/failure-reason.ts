import type { OutcomeCause } from '@/lib/mail/outcomes';

/** Why a message left the queue undelivered. */
export type FailureReason = {
  cause: Extract<OutcomeCause, 'expired' | 'deleted' | 'unknown'>;
  enhancedCode: string | null;
  response: string;
};

export const EXPIRED: FailureReason = {
  cause: 'expired',
  enhancedCode: '4.4.7',
  response: 'The mail server retried until the queue lifetime ended.',
};

export const DELETED: FailureReason = {
  cause: 'deleted',
  enhancedCode: null,
  response: 'An admin deleted the message from the queue.',
};

/** The log shows that the message left the queue, but not with what result: a line was lost or could not be read. */
export const UNKNOWN: FailureReason = {
  cause: 'unknown',
  enhancedCode: null,
  response:
    'The message left the queue, but the mail log does not show the result for this recipient. It may have been delivered.',
};

type Reply = FailureReason & { smtpCode: number | null };

/** The final reply of a recipient: the reason, with the last reply appended if the queue lifetime ended. */
export function finalReply(ending: FailureReason, last: { smtpCode: number | null; response: string | null }): Reply {
  if (ending.cause !== 'expired') return { ...ending, smtpCode: null };
  const lastReply = last.response ? ` Last reply: ${last.response}` : '';
  return { ...ending, smtpCode: last.smtpCode, response: `${ending.response}${lastReply}` };
}

/** The cause of a failed delivery attempt in the log, which has a code only if the receiving server replied. */
export function attemptCause({ smtpCode }: { smtpCode: number | null }): OutcomeCause {
  return smtpCode === null ? 'no_reply' : 'remote_reply';
}
