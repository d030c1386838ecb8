import { parseAddress } from '@/lib/mail/address';
import { mailHostName } from '@/modules/domains/service';
import type { Tx } from '@/server/database/db';
import { env } from '@/server/settings/env';
import { composeMessage } from './composing/compose';
import { outboundMta } from './submission/mta';

export type SystemMail = {
  to: string[];
  subject: string;
  text: string;
  /** Becomes part of the Message-ID. The same for a repeated email. */
  key: string;
  at: Date;
};

/**
 * `problem` is one sentence; of an accepted email it names the addresses that the mail server refused: permanently (`refused`)
 * or for now (`missing`).
 */
export type SystemMailOutcome =
  | { isAccepted: true; problem: string; refused: string[]; missing: string[] }
  | { isAccepted: false; problem: string };

/**
 * Submits an email of Postroom itself. It is nobody's message: it counts against no limit, is not listed, and makes no
 * events.
 */
export async function submitSystemMail(db: Tx, { to, subject, text, key, at }: SystemMail): Promise<SystemMailOutcome> {
  const mta = await outboundMta();
  if (!mta) return { isAccepted: false, problem: 'Sending is disabled on this server (SMTP_URL=off).' };
  const from = await senderOf(db);
  if (!from) return { isAccepted: false, problem: 'There is no sender address. Add a domain, or set ALERT_FROM.' };
  const message = {
    from: { name: 'Postroom', email: from },
    to: to.map((email) => ({ email })),
    subject,
    text_body: text,
    // Keeps vacation replies away (RFC 3834).
    auto_submitted: 'auto-generated' as const,
  };
  const messageId = `<${key}@${from.slice(from.lastIndexOf('@') + 1)}>`;
  const { raw, envelope } = composeMessage(message, { messageId, date: at });
  const result = await mta.submit({ envelope, raw });
  if (result.outcome === 'uncertain')
    return { isAccepted: false, problem: `The mail server did not confirm it: ${result.reason}` };
  const refused = result.refusedRecipients.map(({ address, response }) => `${address}: ${response}`);
  const listed = refused.length > 0 ? `The mail server refused ${refused.join('; ')}` : '';
  if (result.outcome === 'accepted') {
    const [refused, missing] = [true, false].map((isFinal) =>
      result.refusedRecipients
        .filter(({ smtpCode }) => (smtpCode !== null && smtpCode >= 500) === isFinal)
        .map(({ address }) => address),
    ) as [string[], string[]];
    return { isAccepted: true, problem: listed, refused, missing };
  }
  return { isAccepted: false, problem: listed || `The mail server did not accept it from ${from}: ${result.response}` };
}

/** ALERT_FROM, else an address of the domain that the mail server’s name is in, for which it can sign. Null without any. */
async function senderOf(db: Tx): Promise<string | null> {
  const { alertFrom } = env();
  if (alertFrom) return alertFrom;
  const host = await mailHostName(db);
  const [domain] = await db.$queryRaw<{ name: string }[]>`
    SELECT name FROM (SELECT name, dkim_selector, created_at, ${host} = name OR right(${host}, length(name) + 1) = '.' || name AS is_own
                        FROM "domain" WHERE active) AS d
     ORDER BY dkim_selector IS NULL, NOT is_own, CASE WHEN is_own THEN -length(name) END, created_at LIMIT 1`;
  return parseAddress(`postroom@${domain?.name ?? host}`)?.address ?? null;
}
