/** Why a message left the queue undelivered. */
export type FailureReason = { enhancedCode: string | null; response: string };

type Reply = { smtpCode: number | null; enhancedCode: string | null; response: string };

/** The final reply of a recipient: the reason, with the last reply appended if the queue lifetime ended. */
export function finalReply(ending: FailureReason, last: { smtpCode: number | null; response: string | null }): Reply {
  const { enhancedCode, response } = ending;
  if (enhancedCode === null) return { smtpCode: null, enhancedCode, response };
  const lastReply = last.response ? ` Last reply: ${last.response}` : '';
  return { smtpCode: last.smtpCode, enhancedCode, response: `${response}${lastReply}` };
}
