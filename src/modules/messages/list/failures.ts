import { explainDeferral } from '@/lib/mail/deferral-reasons';
import type { OutcomeCause } from '@/lib/mail/outcomes';
import { explainReply } from '@/lib/mail/reply-codes';
import type { Tx } from '@/server/database/db';
import type { MessageStatus, MessageSummary } from '../schema';

type Failure = MessageSummary['failure'];
type Recipient = {
  address: string;
  status: MessageStatus;
  cause: OutcomeCause | null;
  smtpCode: number | null;
  enhancedCode: string | null;
  response: string | null;
};

/** The worst first. */
const FAILED = ['bounced', 'failed', 'deferred'] as const;

/** Returns the failure of the worst recipient of each message, by message ID. Messages without a failure are left out. */
export async function findFailures(db: Tx, ids: string[]): Promise<Map<string, Failure>> {
  const rows = await db.$queryRaw<(Recipient & { id: string })[]>`/* prepared */
    SELECT DISTINCT ON (message_id) message_id AS id, address, status, cause, smtp_code AS "smtpCode",
           enhanced_code AS "enhancedCode", left(response, 1000) AS response
      FROM message_recipient
     WHERE message_id = ANY(${ids}::uuid[]) AND status IN ('bounced', 'failed', 'deferred')
     ORDER BY message_id, array_position(ARRAY['bounced', 'failed', 'deferred'], status::text), kind, id`;
  return new Map(rows.map((row) => [row.id, present(row)]));
}

/** The same for one message. */
export function failureOf(recipients: readonly Recipient[]): Failure {
  for (const status of FAILED) {
    const found = recipients.find((recipient) => recipient.status === status);
    if (found) return present(found);
  }
  return null;
}

function present(recipient: Recipient): NonNullable<Failure> {
  const { address, status, cause, smtpCode, enhancedCode } = recipient;
  return {
    recipient: address,
    status,
    cause,
    smtp_code: smtpCode,
    enhanced_code: enhancedCode,
    reason: reasonOf(recipient),
  };
}

const REASONS: Partial<Record<OutcomeCause, string>> = {
  rejected: 'Rejected by your mail server',
  not_submitted: 'Your mail server could not be reached',
  expired: 'Queue lifetime ended',
  deleted: 'Deleted from the queue',
  unknown: 'Result unknown',
  not_allowed: 'Not sent when it was due',
};

function reasonOf({ address, cause, status, enhancedCode, response }: Recipient): string {
  const host = address.slice(address.lastIndexOf('@') + 1);
  const known = cause && REASONS[cause];
  if (known) return known;
  if (cause === 'no_reply') return explainDeferral(response, address)?.brief ?? `No answer from ${host}`;
  const reply = explainReply({ code: enhancedCode, text: response }, host);
  return reply?.brief ?? (status === 'deferred' ? `Temporary error, says ${host}` : `Rejected by ${host}`);
}
