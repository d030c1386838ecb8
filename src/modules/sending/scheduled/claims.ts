import { type Finding, measured } from '@/lib/health/finding';
import { uuidv7 } from '@/lib/uuid';
import { leaseOf } from '@/server/background/lease';
import type { Database, Tx } from '@/server/database/db';
import { markUncertain } from '../submission/submit';

const LEASE = leaseOf(60, 'next_attempt_at');

/** A message that this instance may send, while the lease is renewed and the token matches. */
export type Claimed = {
  id: string;
  token: string;
  status: string;
  sendAt: Date | null;
  adminId: string;
  keyId: string | null;
  /** Whether its text may have been sent. */
  isDataSent: boolean;
};

/** Claims the message that has been due for longest. @returns null if none is due, or other instances have them */
export async function claimDue(db: Database): Promise<Claimed | null> {
  const token = uuidv7();
  const [claimed] = await db.$queryRaw<Omit<Claimed, 'token'>[]>`/* prepared */
    WITH due AS MATERIALIZED (
      SELECT message_id FROM scheduled_message WHERE ${LEASE.isOver} ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE scheduled_message s SET ${LEASE.claim(token)}
      FROM due JOIN message m ON m.id = due.message_id WHERE s.message_id = due.message_id
    RETURNING m.id, m.status::text AS status, m.send_at AS "sendAt", s.admin_id AS "adminId", m.api_key_id AS "keyId",
              s.data_at IS NOT NULL AS "isDataSent"`;
  return claimed ? { ...claimed, token } : null;
}

/** @returns false if the claim was lost */
export async function renewClaim(db: Database, { id, token }: Claimed): Promise<boolean> {
  const count = await db.$executeRaw`/* prepared */
    UPDATE scheduled_message SET ${LEASE.renew} WHERE message_id = ${id}::uuid AND ${LEASE.isHeldBy(token)}`;
  return count > 0;
}

/** Locks the message, then its claim, until the transaction ends. @returns the status, or null if the claim was lost */
export async function lockClaimed(tx: Tx, { id, token }: Claimed): Promise<string | null> {
  await tx.$queryRaw`/* prepared */ SELECT FROM message WHERE id = ${id}::uuid FOR UPDATE`;
  const [held] = await tx.$queryRaw<{ status: string }[]>`/* prepared */
    SELECT m.status::text AS status FROM scheduled_message s JOIN message m ON m.id = s.message_id
     WHERE s.message_id = ${id}::uuid AND ${LEASE.isHeldBy(token)} FOR UPDATE OF s`;
  return held?.status ?? null;
}

/** Notes that the text is about to be sent. @throws if the claim was lost, so that nothing is sent */
export async function markDataSent(db: Database, { id, token }: Claimed): Promise<void> {
  const count = await db.$executeRaw`/* prepared */
    UPDATE scheduled_message SET data_at = now(), ${LEASE.renew} WHERE message_id = ${id}::uuid AND ${LEASE.isHeldBy(token)}`;
  if (count === 0) throw new LostClaim();
}

/** The message has left, failed or may have left. Its text goes, too: who ends the claim keeps it elsewhere. */
export async function endClaim(tx: Tx, { id, token }: Claimed): Promise<void> {
  await tx.$executeRaw`/* prepared */
    DELETE FROM scheduled_message WHERE message_id = ${id}::uuid AND ${LEASE.isHeldBy(token)}`;
}

/** Gives a message back that was certainly not accepted: it is due again after so many seconds, and no longer counted. */
export async function putBack(
  db: Database,
  claimed: Claimed,
  { delaySeconds, reason, at }: { delaySeconds: number; reason?: string; at: Date },
): Promise<void> {
  const { id, token } = claimed;
  await db.$transaction(async (tx) => {
    if ((await lockClaimed(tx, claimed)) === null) return;
    await tx.message.updateMany({ where: { id, status: 'submitting' }, data: { status: 'scheduled' } });
    await tx.messageRecipient.updateMany({
      where: { messageId: id, status: 'submitting' },
      data: { status: 'scheduled' },
    });
    await tx.$queryRaw`SELECT uncount_send(${id}::uuid)::text`;
    await tx.$executeRaw`
      UPDATE scheduled_message SET data_at = NULL, ${LEASE.release(delaySeconds)}
       WHERE message_id = ${id}::uuid AND ${LEASE.isHeldBy(token)}`;
    const type = 'postponed';
    if (reason && (await tx.messageEvent.count({ where: { messageId: id, type } })) === 0) {
      await tx.messageEvent.create({
        data: { id: uuidv7(), messageId: id, type, at, detail: { response: reason } },
        select: { id: true },
      });
    }
  });
}

/** Settles a message whose process ended after its text was sent. @returns false if the claim was lost */
export async function settleInterrupted(
  db: Database,
  claimed: Claimed,
  { at, audit }: { at: Date; audit: (tx: Tx) => Promise<void> },
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const status = await lockClaimed(tx, claimed);
    if (status === 'submitting') {
      await markUncertain(tx, claimed.id, at);
      await audit(tx);
    }
    await endClaim(tx, claimed);
    return status === 'submitting';
  });
}

export async function checkScheduled(db: Tx): Promise<Finding[]> {
  const [row] = await db.$queryRaw<{ seconds: number }[]>`
    SELECT coalesce(extract(epoch FROM now() - min(m.send_at)), 0)::int AS seconds
      FROM scheduled_message s JOIN message m ON m.id = s.message_id
     WHERE m.send_at < now() AND s.next_attempt_at IS NOT NULL`;
  return [measured('scheduled_messages', row?.seconds ?? 0)];
}

export class LostClaim extends Error {
  constructor() {
    super('another instance has claimed the message, or it was cancelled');
  }
}
