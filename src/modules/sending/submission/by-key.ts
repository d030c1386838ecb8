import { parseAddress } from '@/lib/mail/address';
import { isBounceAddress } from '@/lib/mail/report-addresses';
import { suppressionAddress } from '@/lib/mail/suppression';
import { uuidv7 } from '@/lib/uuid';
import { admitSubmission } from '@/modules/abuse/service';
import { type Actor, type ActorKey, identifyKeySession } from '@/server/access/actor';
import {
  type AuthorizedDomain,
  authorizeDomain,
  requireAllowedAddress,
  requirePermission,
  requireSender,
} from '@/server/access/authorize';
import { AppError } from '@/server/errors';
import { limitKey } from '@/server/limits/rate-limit';
import type { Context } from '@/server/procedures/context';

type SmtpContext = Pick<Context, 'db' | 'clock' | 'request' | 'response'>;

/** `sender`: the envelope sender, which is also the author, as the mail server's filter requires. */
type KeySession = { keyId: string; sender: string };

/**
 * Decides whether a key that signed in by SMTP can send to a recipient: with the checks of `POST /send`, except for the limits.
 * @returns the action for Postfix, as in access(5): DUNNO accepts the recipient
 */
export function checkKeyRecipient(ctx: SmtpContext, session: KeySession, recipient: string): Promise<string> {
  return actionOf(async () => {
    const { domain } = await authorizeSession(ctx, session);
    // Postfix sends to other spellings as well, such as one with a dot after the domain.
    const address = parseAddress(recipient)?.address;
    if (address === undefined) return '550 5.1.3 Enter a plain recipient address';
    const reason = await suppressionOf(ctx, domain, address);
    return reason === null ? 'DUNNO' : `550 5.7.1 ${address} is suppressed (${reason})`;
  });
}

/**
 * Counts a message that a key submits by SMTP towards its own limit and the hourly ones. Repeated calls count once.
 * @param id the id of the message, the same in every call about it
 * @returns the action for Postfix: DUNNO accepts the message
 */
export function admitByKey(ctx: SmtpContext, session: KeySession, id: string, recipientCount: number): Promise<string> {
  return actionOf(async () => {
    const { key } = await authorizeSession(ctx, session);
    const isCounted = await ctx.db.countedSend.findUnique({ where: { id }, select: { id: true } });
    if (!isCounted) await limitKey(ctx, key);
    return admitSubmission(ctx, { id, sender: session.sender, recipientCount });
  });
}

type Session = { actor: Actor; key: ActorKey; domain: AuthorizedDomain };

/** Returns the caller of a session, whose key can send as its sender now. @throws the errors of `POST /send` about key and sender */
export async function authorizeSession(ctx: SmtpContext, { keyId, sender: from }: KeySession): Promise<Session> {
  const actor = await identifyKeySession(keyId, ctx.clock.now());
  const { key } = actor;
  const sender = parseAddress(from);
  // Mail that comes back to a bounce address is about the message that the address was made for.
  if (!key || !sender || isBounceAddress(sender.address))
    throw new AppError('INVALID_SENDER', 'Send from a plain address such as ann@example.com.');
  requirePermission(actor, 'send');
  requireAllowedAddress(key, ctx.request.ip);
  requireSender(actor, sender.address);
  const domain = await authorizeDomain({ db: ctx.db, actor }, { name: sender.domain }, { missingStatus: 403 });
  return { actor, key, domain };
}

/** Why mail of the domain isn't sent to this address, or null. */
async function suppressionOf({ db, clock }: SmtpContext, { id }: AuthorizedDomain, address: string) {
  const recipients = [{ id: uuidv7(), address, suppression_address: suppressionAddress(address) }];
  const [found] = await db.$queryRaw<{ reason: string }[]>`
    SELECT reason::text
      FROM find_suppressed_in_lists(ARRAY[${uuidv7()}::uuid], ARRAY[${id}::uuid], ARRAY[false], ARRAY[NULL::text],
                                    ARRAY[${clock.now()}::timestamptz], ARRAY[${JSON.stringify(recipients)}::jsonb])`;
  return found?.reason ?? null;
}

async function actionOf(decide: () => Promise<string>): Promise<string> {
  try {
    return await decide();
  } catch (error) {
    return replyOf(error);
  }
}

/** The SMTP reply that says why the caller can't send. @throws the error, if it isn't the caller's */
export function replyOf(error: unknown): string {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  return error.status === 429 ? `450 4.7.1 ${error.message}` : `550 5.7.1 ${error.message}`;
}
