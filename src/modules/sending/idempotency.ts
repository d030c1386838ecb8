import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '@/server/actor';
import type { Database } from '@/server/db';
import { AppError } from '@/server/errors';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from './schema';

/** What an earlier call with the same key has put on its way already. */
export type PriorMessage = {
  id: string;
  batchIndex: number;
  messageId: string;
  status: string;
  /** Whether the MTA took it, whatever became of it afterwards. */
  isAccepted: boolean;
};

/** The right to do the work of a key, for as long as the lease is kept and the token matches. */
export type Claim = { keyId: string; token: string; prior: PriorMessage[] };

export type Claimed = { kind: 'claimed'; claim: Claim } | { kind: 'finished'; claim: Claim; response: unknown };

const LEASE_SECONDS = 30;
const KEPT_HOURS = 24;
const FORM = new RegExp(`^[\\x21-\\x7e]{1,${MAX_IDEMPOTENCY_KEY_LENGTH}}$`);

/**
 * Takes a key for one call, exactly: of many at once one gets it. A lease that ran out, because the process died, is
 * taken over with what had been done.
 * @throws VALIDATION_ERROR for a malformed key, IDEMPOTENCY_CONFLICT for another body or a call still in flight
 */
export async function claimKey(db: Database, actor: Actor, key: string, fingerprint: Uint8Array): Promise<Claimed> {
  requireForm(key);
  const callerId = actor.key?.id ?? actor.admin.id;
  for (;;) {
    const token = uuidv7();
    const [row] = await db.$queryRaw<{ id: string }[]>`
      INSERT INTO idempotency_key AS known (id, caller_id, key, fingerprint, token, lease_until)
      VALUES (${uuidv7()}::uuid, ${callerId}::uuid, ${key}, ${fingerprint}, ${token}::uuid,
              now() + make_interval(secs => ${LEASE_SECONDS}))
      ON CONFLICT (caller_id, key) DO UPDATE SET token = EXCLUDED.token, lease_until = EXCLUDED.lease_until
      WHERE known.fingerprint = EXCLUDED.fingerprint
        AND known.lease_until < now()
        AND known.created_at > now() - make_interval(hours => ${KEPT_HOURS})
      RETURNING id`;
    if (row) return { kind: 'claimed', claim: { keyId: row.id, token, prior: await priorMessages(db, row.id) } };
    const held = await readHeld(db, callerId, key);
    if (!held) continue;
    if (Buffer.compare(held.fingerprint, fingerprint) !== 0) {
      throw conflict('This Idempotency-Key was used with another body in the last 24 hours.');
    }
    if (held.leaseUntil) throw conflict('A call with this Idempotency-Key is still in flight.');
    const claim = { keyId: held.id, token, prior: await priorMessages(db, held.id) };
    return { kind: 'finished', claim, response: held.response };
  }
}

export async function keepLease(db: Database, { keyId, token }: Claim): Promise<void> {
  await db.$executeRaw`
    UPDATE idempotency_key SET lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
    WHERE id = ${keyId}::uuid AND token = ${token}::uuid`;
}

/** From here on the same call is answered from what is stored. */
export async function finishKey(db: Database, { keyId, token }: Claim, response?: object): Promise<void> {
  await db.idempotencyKey.updateMany({
    where: { id: keyId, token },
    data: { leaseUntil: null, ...(response && { response }) },
  });
}

/** A definite failure: the same call may try again at once. */
export async function freeKey(db: Database, { keyId, token }: Claim): Promise<void> {
  await db.idempotencyKey.deleteMany({ where: { id: keyId, token } });
}

export async function deleteOldKeys(db: Database): Promise<void> {
  await db.$executeRaw`
    DELETE FROM idempotency_key WHERE created_at < now() - make_interval(hours => ${KEPT_HOURS})`;
}

async function readHeld(db: Database, callerId: string, key: string) {
  const [held] = await db.$queryRaw<
    { id: string; fingerprint: Uint8Array; leaseUntil: Date | null; response: unknown; isOld: boolean }[]
  >`
    SELECT id, fingerprint, lease_until AS "leaseUntil", response,
           created_at <= now() - make_interval(hours => ${KEPT_HOURS}) AS "isOld"
    FROM idempotency_key WHERE caller_id = ${callerId}::uuid AND key = ${key}`;
  if (!held?.isOld) return held;
  await db.idempotencyKey.deleteMany({ where: { id: held.id } });
  return undefined;
}

async function priorMessages(db: Database, keyId: string): Promise<PriorMessage[]> {
  const rows = await db.message.findMany({
    where: { idempotencyKeyId: keyId },
    select: {
      id: true,
      batchIndex: true,
      messageId: true,
      status: true,
      events: { where: { type: 'queued' }, select: { id: true }, take: 1 },
    },
  });
  return rows.map(({ events, batchIndex, ...row }) => ({
    ...row,
    batchIndex: batchIndex as number,
    isAccepted: events.length > 0,
  }));
}

function requireForm(key: string): void {
  if (FORM.test(key)) return;
  const message = `1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} printable ASCII characters without spaces.`;
  throw new AppError('VALIDATION_ERROR', `The Idempotency-Key header is not valid: ${message}`, {
    details: { fields: [{ path: 'Idempotency-Key', message }] },
  });
}

function conflict(message: string): AppError {
  return new AppError('IDEMPOTENCY_CONFLICT', message);
}
