import { uuidv7 } from '@/lib/uuid';
import type { Actor } from '@/server/access/actor';
import { inPacedBatches } from '@/server/background/in-batches';
import { leaseOf } from '@/server/background/lease';
import type { Database } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import { MAX_IDEMPOTENCY_KEY_LENGTH, SendHeaders, type SuppressedRecipient } from '../schema';

/** A message that an earlier call with the same key has stored. */
export type PriorMessage = {
  id: string;
  batchIndex: number;
  messageId: string;
  status: string;
  /** Whether the mail server accepted it, also if delivery failed later. */
  isAccepted: boolean;
  suppressed: SuppressedRecipient[];
  /** When a scheduled message was to leave at first; null for others. */
  sendAt: Date | null;
};

/** Exclusive ownership of a key, while the lease is renewed and the token matches. */
export type Claim = { keyId: string; token: string; prior: PriorMessage[] };

export type Claimed = { kind: 'claimed'; claim: Claim } | { kind: 'finished'; claim: Claim; response: unknown };

const LEASE = leaseOf(30);
const LIFETIME_HOURS = 24;

/**
 * Claims a key for one call; of concurrent calls exactly one succeeds. A key whose lease expired is claimed with the
 * messages that were already sent.
 * @throws VALIDATION_ERROR for a malformed key, IDEMPOTENCY_CONFLICT for another body or a call still in flight
 */
export async function claimKey(db: Database, actor: Actor, key: string, fingerprint: Uint8Array): Promise<Claimed> {
  requireValidKey(key);
  const callerId = actor.key?.id ?? actor.admin.id;
  for (;;) {
    const token = uuidv7();
    const [row] = await db.$queryRaw<{ id: string }[]>`
      INSERT INTO idempotency_key AS existing (id, caller_id, key, fingerprint, lease_token, leased_until)
      VALUES (${uuidv7()}::uuid, ${callerId}::uuid, ${key}, ${fingerprint}, ${token}::uuid, ${LEASE.end})
      ON CONFLICT (caller_id, key) DO UPDATE SET ${LEASE.claim(token)}
      WHERE existing.fingerprint = EXCLUDED.fingerprint
        AND existing.leased_until <= now()
        AND existing.created_at > now() - make_interval(hours => ${LIFETIME_HOURS})
      RETURNING id`;
    if (row) return { kind: 'claimed', claim: { keyId: row.id, token, prior: await priorMessages(db, row.id) } };
    const existing = await readExisting(db, callerId, key);
    if (!existing) continue;
    if (Buffer.compare(existing.fingerprint, fingerprint) !== 0) {
      const message = 'This Idempotency-Key was used with a different body in the last 24 hours.';
      throw new AppError('IDEMPOTENCY_CONFLICT', message, { details: { reason: 'different_body' } });
    }
    if (existing.leasedUntil) {
      const message = 'A request with this Idempotency-Key is still in progress. Retry in a moment.';
      const details = { reason: 'in_progress' };
      throw new AppError('IDEMPOTENCY_CONFLICT', message, { details, headers: { 'Retry-After': '2' } });
    }
    const { id: keyId, prior, response } = existing;
    return { kind: 'finished', claim: { keyId, token, prior }, response };
  }
}

export async function renewLease(db: Database, { keyId, token }: Claim): Promise<void> {
  await db.$executeRaw`
    UPDATE idempotency_key SET ${LEASE.renew} WHERE id = ${keyId}::uuid AND ${LEASE.isHeldBy(token)}`;
}

/** Later calls with this key get the stored response. */
export async function finishKey(db: Database, { keyId, token }: Claim, response?: object): Promise<void> {
  await db.idempotencyKey
    .updateMany({
      where: { id: keyId, leaseToken: token },
      data: { leasedUntil: null, ...(response && { response }) },
    })
    .catch(leaveToLease);
}

/** After a definite failure, so that the same call can run again. */
export async function freeKey(db: Database, { keyId, token }: Claim): Promise<void> {
  await db.idempotencyKey.deleteMany({ where: { id: keyId, leaseToken: token } }).catch(leaveToLease);
}

/** Whether the mail server certainly accepted no message of a call, and none is scheduled. False if it can't be found out. */
export async function isUnsent(db: Database, { keyId }: Claim): Promise<boolean> {
  const stored = await priorMessages(db, keyId).catch(leaveToLease);
  return stored?.every(isRefused) ?? false;
}

/** The response of the call is known. A later one finds its messages, once the lease has ended. */
function leaveToLease(error: unknown): void {
  log.warn({ error }, 'ending an idempotency lease failed, it ends by itself');
}

export async function deleteOldKeys(db: Database): Promise<void> {
  await inPacedBatches(
    (size) => db.$executeRaw`
      DELETE FROM idempotency_key WHERE id IN (
        SELECT id FROM idempotency_key WHERE created_at < now() - make_interval(hours => ${LIFETIME_HOURS})
         ORDER BY created_at LIMIT ${size})`,
  );
}

/** Frees a key that is old, or whose message was unconfirmed at first and turned out not to have been accepted. */
async function readExisting(db: Database, callerId: string, key: string) {
  const [existing] = await db.$queryRaw<
    { id: string; fingerprint: Uint8Array; leasedUntil: Date | null; response: unknown; isOld: boolean }[]
  >`
    SELECT id, fingerprint, leased_until AS "leasedUntil", response,
           created_at <= now() - make_interval(hours => ${LIFETIME_HOURS}) AS "isOld"
    FROM idempotency_key WHERE caller_id = ${callerId}::uuid AND key = ${key}`;
  if (!existing) return undefined;
  const { id, leasedUntil, response, isOld } = existing;
  const prior = leasedUntil ? [] : await priorMessages(db, id);
  const isSpent = isOld || (!leasedUntil && response === null && prior.every(isRefused));
  if (!isSpent) return { ...existing, prior };
  await db.idempotencyKey.deleteMany({ where: { id } });
  return undefined;
}

/** Whether the mail server certainly did not accept a message that was sent at once. */
export function isRefused({ status, isAccepted, sendAt }: PriorMessage): boolean {
  return status === 'failed' && !isAccepted && sendAt === null;
}

async function priorMessages(db: Database, keyId: string): Promise<PriorMessage[]> {
  const rows = await db.message.findMany({
    where: { idempotencyKeyId: keyId },
    select: {
      id: true,
      batchIndex: true,
      messageId: true,
      status: true,
      events: {
        where: { type: { in: ['accepted', 'queued', 'suppressed'] } },
        select: { type: true, recipient: true, detail: true },
      },
    },
  });
  return rows.map(({ events, batchIndex, ...row }) => ({
    ...row,
    batchIndex: batchIndex as number,
    isAccepted: events.some(({ type }) => type === 'queued'),
    sendAt: scheduledFor(events),
    suppressed: events
      .filter(({ type }) => type === 'suppressed')
      .map(({ recipient, detail }) => ({ email: recipient, ...(detail as object) }) as SuppressedRecipient),
  }));
}

/** A held message has no time any more, and a rescheduled one another, but the response stays the same. */
function scheduledFor(events: { type: string; detail: unknown }[]): Date | null {
  const { send_at: at } = (events.find(({ type }) => type === 'accepted')?.detail ?? {}) as { send_at?: string };
  return at === undefined ? null : new Date(at);
}

function requireValidKey(key: string): void {
  if (SendHeaders.safeParse({ 'Idempotency-Key': key }).success) return;
  const message = `Use 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} printable ASCII characters without spaces.`;
  throw new AppError('VALIDATION_ERROR', `The Idempotency-Key header is invalid. ${message}`, {
    details: { fields: [{ path: 'Idempotency-Key', message }] },
  });
}
