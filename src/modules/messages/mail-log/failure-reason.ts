/** Why a message left the queue undelivered. */
export type FailureReason = { enhancedCode: string | null; response: string };

type Reply = { smtpCode: number | null; enhancedCode: string | null; response: string };

/** What a recipient is told of at the end, with the last that was heard where the mail server gave up by itself. */
export function finalReply(ending: FailureReason, last: { smtpCode: number | null; response: string | null }): Reply {
  const { enhancedCode, response } = ending;
  if (enhancedCode === null) return { smtpCode: null, enhancedCode, response };
  const heard = last.response ? ` Last it heard: ${last.response}` : '';
  return { smtpCode: last.smtpCode, enhancedCode, response: `${response}${heard}` };
}
