import { uuidv7 } from '@/lib/uuid';
import { insertAuditEntry } from '@/server/audit';
import { leaseOf } from '@/server/background/lease';
import type { Clock } from '@/server/clock';
import { ADVISORY_LOCKS } from '@/server/database/advisory-locks';
import type { Database, Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { Prisma } from '@/server/prisma/client';
import type { OperationRow } from '../records/present';
import { pauseMs } from '../schedule/slots';
import type { BackupOperation } from '../schema';
import type { Requester } from './requester';
import { runningText } from './text';

/** How long an operation counts as running after the last sign of life of its runner. */
export const LEASE = leaseOf(30);

export type BackupAction = BackupOperation['action'];

/** Only its holder can renew the lease and finish the operation. */
export type Lease = { id: string; token: string };

export type Outcome = {
  state: 'succeeded' | 'failed' | 'interrupted';
  message: string;
  result?: Prisma.InputJsonObject;
  /** The changes to the record of the backup. */
  backup?: Prisma.BackupUpdateInput;
};

export type OperationProgress = { table: string | null; done: number; total: number; rows: number; bytes: number };

/** The error of an operation whose runner was killed without SIGTERM. */
export const CUT_OFF = 'Postroom stopped while it ran.';

type NewOperation = {
  action: BackupAction;
  backup: { id: string; name: string };
  domainId?: string;
  requester: Requester;
  runner: string;
};

/** The other operation can end between the two statements. */
const MAX_ATTEMPTS = 5;

/** @throws CONFLICT with the id of the operation that is running */
export async function startOperation(
  tx: Tx,
  clock: Clock,
  { action, backup, domainId, requester, runner }: NewOperation,
): Promise<Lease> {
  await interruptExpired(tx, clock);
  const [id, token] = [uuidv7(), uuidv7()];
  const { admin, key, request } = requester;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const count = await tx.$executeRaw`
      INSERT INTO backup_operation (id, action, backup_id, backup_name, domain_id, requested_by_id, requested_by_email,
                                    api_key_id, request_id, ip_address, user_agent, runner, started_at, lease_token,
                                    leased_until)
      VALUES (${id}::uuid, ${action}::backup_action, ${backup.id}::uuid, ${backup.name}, ${domainId ?? null}::uuid,
              ${admin?.id ?? null}::uuid, ${admin?.email ?? null}, ${key?.id ?? null}::uuid, ${request.id}::uuid,
              ${request.ip}, ${request.userAgent}, ${runner}, now(), ${token}::uuid,
              ${LEASE.end})
      ON CONFLICT ((true)) WHERE finished_at IS NULL DO NOTHING`;
    if (count === 1) return { id, token };
    const other = await tx.backupOperation.findFirst({ where: { finishedAt: null } });
    if (other) throw busy(other);
  }
  throw new AppError('SERVICE_UNAVAILABLE', 'Other operations keep starting. Retry in a moment.');
}

function busy(other: OperationRow): AppError {
  return new AppError('CONFLICT', runningText(other), { details: { operation_id: other.id } });
}

/** Shows that the operation still runs, and how far it is. @returns false if the lease has ended, which can't be undone */
export async function renewLease(db: Database, { id, token }: Lease, progress: OperationProgress): Promise<boolean> {
  const { table, done, total, rows, bytes } = progress;
  const count = await db.$executeRaw`
    UPDATE backup_operation
       SET ${LEASE.renew}, progress_table = ${table}, tables_done = ${done}, tables_total = ${total}, progress_rows = ${rows}, progress_bytes = ${bytes}
     WHERE id = ${id}::uuid AND ${LEASE.isHeldBy(token)} AND finished_at IS NULL AND ${LEASE.isRunning}`;
  return count > 0;
}

/**
 * Stores the outcome with its audit entry. A call whose answer was lost can be repeated.
 * @returns false if the lease had ended: the operation is interrupted
 */
export async function finishOperation(db: Database, clock: Clock, lease: Lease, outcome: Outcome): Promise<boolean> {
  const { id, token: leaseToken } = lease;
  const held = Prisma.sql`id = ${id}::uuid AND ${LEASE.isHeldBy(leaseToken)} AND ${LEASE.isRunning}`;
  if ((await db.$transaction((tx) => finish(tx, clock, held, outcome))).length > 0) return true;
  const row = await db.backupOperation.findFirst({ where: { id, leaseToken } });
  return row?.state === outcome.state;
}

/** A runner takes the lock of backups and restores within this time. */
const LOCKED_WITHIN_SECONDS = 10;

/** Ends the operations whose runner is gone, so that the next one can start. One that was killed holds no lock. */
export async function interruptExpired(tx: Tx, clock: Clock): Promise<void> {
  const isGone = Prisma.sql`(${LEASE.isOver}
    OR (started_at < now() - make_interval(secs => ${LOCKED_WITHIN_SECONDS})
        AND NOT EXISTS (SELECT FROM pg_locks
                         WHERE locktype = 'advisory' AND classid = 0 AND objid = ${ADVISORY_LOCKS.backups}::bigint::oid AND granted
                           AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))))`;
  const ended = await finish(tx, clock, isGone, { state: 'interrupted', message: CUT_OFF });
  for (const { action, backupId: id } of ended) {
    const slot =
      action === 'create' && (await tx.backup.findFirst({ where: { id, status: 'failed', dueAt: { not: null } } }));
    if (!slot) continue;
    // The backup may be what killed it.
    const nextAttemptAt = new Date(clock.now().getTime() + pauseMs(slot.attempts));
    await tx.backup.update({ where: { id }, data: { nextAttemptAt } });
  }
}

/** @returns the operations that it ended */
async function finish(tx: Tx, clock: Clock, where: Prisma.Sql, outcome: Outcome): Promise<OperationRow[]> {
  const { state, message, result } = outcome;
  const ended = await tx.$queryRaw<{ id: string }[]>`
    UPDATE backup_operation
       SET state = ${state}::backup_operation_state, message = ${message}, finished_at = now(),
           result = ${result ? JSON.stringify(result) : null}::jsonb
     WHERE finished_at IS NULL AND ${where}
    RETURNING id`;
  const rows = await tx.backupOperation.findMany({ where: { id: { in: ended.map(({ id }) => id) } } });
  for (const row of rows) {
    if (row.action === 'create' && state !== 'succeeded') {
      const failed = { status: 'failed' as const, error: message, finishedAt: row.finishedAt };
      await tx.backup.updateMany({ where: { id: row.backupId, status: 'running' }, data: failed });
    }
    const backup = outcome.backup && (await tx.backup.update({ where: { id: row.backupId }, data: outcome.backup }));
    const sizeBytes = row.action === 'create' && backup ? backup.sizeBytes : null;
    await auditEnd(tx, clock, row, sizeBytes === null ? {} : { size_bytes: Number(sizeBytes) });
  }
  return rows;
}

/** The entry names who asked, and the request. */
async function auditEnd(
  tx: Tx,
  clock: Clock,
  row: Prisma.BackupOperationGetPayload<object>,
  more: { size_bytes?: number },
): Promise<void> {
  const { id, action, backupId, backupName: name, domainId, state, message, requestedById, requestedByEmail } = row;
  const { requestId, ipAddress: ip, userAgent, apiKeyId } = row;
  // An admin who was deleted meanwhile, or isn’t in the database that was restored, is named by the email address alone.
  const [known] = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM admin WHERE id = ${requestedById}::uuid FOR KEY SHARE`;
  const admin = known && requestedByEmail ? { id: known.id, email: requestedByEmail } : null;
  await insertAuditEntry(
    tx,
    { clock, request: { id: requestId, ip, userAgent, idempotencyKey: null, cookies: '' } },
    {
      action: 'backup.finish',
      resource: `backup:${backupId}`,
      actor: admin && { admin, key: apiKeyId === null ? null : { id: apiKeyId } },
      email: requestedByEmail ?? undefined,
      outcome: state === 'succeeded' ? 'success' : 'error',
      details: { operation_id: id, action, name, ...(domainId && { domain_id: domainId }), ...more, state, message },
    },
  );
}
