/** A submission takes seconds. */
const USUAL_MS = 60_000;

/** After which a submission without a reply is unconfirmed: much longer than any request can run. */
export const UNCONFIRMED_AFTER_MS = 15 * 60_000;

export type Submission = { status: string; send_at: string | null; created_at: string };

/** Whether the mail server takes unusually long to reply to the submission of a message. */
export function isSlowSubmission(message: Submission, now = new Date()): boolean {
  const { status, send_at: sendAt, created_at: createdAt } = message;
  return status === 'submitting' && now.getTime() - Date.parse(sendAt ?? createdAt) > USUAL_MS;
}
