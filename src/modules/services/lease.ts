import {
  laneOf,
  type MailService,
  type OperationAction,
  type OperationInput,
  type OperationLane,
} from '@/lib/mail/operations';
import { uuidv7 } from '@/lib/uuid';
import type { Outcome } from '@/mail/agent/operations/operation';
import { insertAuditEntry } from '@/server/audit';
import { leaseOf } from '@/server/background/lease';
import type { Clock } from '@/server/clock';
import type { Database, Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { Prisma } from '@/server/prisma/client';

/** How long an operation waits for the agent, and how long one is running after the agent's last sign of life. */
export const LEASE = leaseOf(30);

export type ClaimedOperation = {
  id: string;
  action: OperationAction;
  service: MailService | null;
  dryRun: boolean;
  input: OperationInput | null;
  /** Only its holder can renew the lease and finish the operation. */
  token: string;
};

const NEVER_STARTED = 'The mail agent didn’t start it in time. Nothing was changed.';
const CUT_OFF =
  'The mail agent stopped while it ran. When it starts again, it restores what was half done. Check the services.';

/** Claims the operation that waits for this host in a lane. A claimed operation is never claimed again. */
export async function claimOperation(
  db: Database,
  host: string,
  lane: OperationLane,
): Promise<ClaimedOperation | null> {
  const token = uuidv7();
  const [operation] = await db.$queryRaw<Omit<ClaimedOperation, 'token'>[]>`
    UPDATE operation
       SET state = 'running', started_at = now(), ${LEASE.claim(token)}
     WHERE id = (SELECT id FROM operation WHERE state = 'queued' AND host = ${host} AND lane = ${lane} AND ${LEASE.isRunning}
                  FOR UPDATE SKIP LOCKED)
    RETURNING id, action, service, dry_run AS "dryRun", input`;
  return operation ? { ...operation, token } : null;
}

/** Shows that the agent still runs the operation. @returns false if the lease has ended, which can't be undone */
export async function renewLease(db: Database, { id, token }: Pick<ClaimedOperation, 'id' | 'token'>) {
  const count = await db.$executeRaw`
    UPDATE operation SET ${LEASE.renew}
     WHERE id = ${id}::uuid AND ${LEASE.isHeldBy(token)} AND state = 'running' AND ${LEASE.isRunning}`;
  return count > 0;
}

/** Stores the outcome with its audit entry. @returns false if the lease had ended: the operation is interrupted */
export async function finishOperation(
  db: Database,
  clock: Clock,
  { id, token }: Pick<ClaimedOperation, 'id' | 'token'>,
  { state, message }: Outcome,
): Promise<boolean> {
  const held = Prisma.sql`id = ${id}::uuid AND ${LEASE.isHeldBy(token)} AND ${LEASE.isRunning}`;
  return (await db.$transaction((tx) => finish(tx, clock, held, { state, message }))) > 0;
}

/** Ends the operations whose agent is gone, so that the next one can start. */
export async function interruptExpired(tx: Tx, clock: Clock): Promise<void> {
  await finish(tx, clock, Prisma.sql`state = 'queued' AND ${LEASE.isOver}`, interrupted(NEVER_STARTED));
  await finish(tx, clock, Prisma.sql`state = 'running' AND ${LEASE.isOver}`, interrupted(CUT_OFF));
}

/** Ends what an earlier agent of this host was running when it was killed. There is one agent per host. */
export async function interruptAbandoned(
  db: Database,
  clock: Clock,
  { host, lane }: { host: string; lane: OperationLane },
  message: string,
): Promise<void> {
  const where = Prisma.sql`state = 'running' AND host = ${host} AND lane = ${lane}`;
  await db.$transaction((tx) => finish(tx, clock, where, interrupted(message)));
}

/** How an operation is shown whose lease has ended, before that is stored. */
export function expiredOutcome(state: 'queued' | 'running'): Outcome {
  return interrupted(state === 'queued' ? NEVER_STARTED : CUT_OFF);
}

function interrupted(message: string): Outcome {
  return { state: 'interrupted', message };
}

type Finished = {
  id: string;
  action: OperationAction;
  service: MailService | null;
  dryRun: boolean;
  input: OperationInput | null;
  host: string;
  adminId: string | null;
  email: string | null;
  apiKeyId: string | null;
  requestId: string;
  ip: string;
};

/** @returns how many operations it ended */
async function finish(tx: Tx, clock: Clock, where: Prisma.Sql, { state, message }: Outcome): Promise<number> {
  const rows = await tx.$queryRaw<Finished[]>`
    UPDATE operation
       SET state = ${state}::operation_state, message = ${message}, finished_at = now(), input = input - 'password'
     WHERE finished_at IS NULL AND ${where}
    RETURNING id, action, service, dry_run AS "dryRun", input, host, requested_by_id AS "adminId",
              requested_by_email AS email, api_key_id AS "apiKeyId", request_id AS "requestId", ip_address AS ip`;
  for (const row of rows) await auditEnd(tx, clock, row, { state, message });
  return rows.length;
}

/** The entry names the admin who asked, if one did, and the request. */
async function auditEnd(tx: Tx, clock: Clock, row: Finished, { state, message }: Outcome): Promise<void> {
  const { id, action, service, dryRun, input, host, adminId, email, apiKeyId, requestId, ip } = row;
  const admin = adminId !== null && email !== null ? { id: adminId, email } : null;
  await insertAuditEntry(
    tx,
    { clock, request: { id: requestId, ip, userAgent: 'mail agent', idempotencyKey: null, cookies: '' } },
    {
      action: 'operation.finish',
      resource: `operation:${id}`,
      actor: admin && { admin, key: apiKeyId === null ? null : { id: apiKeyId } },
      outcome: state === 'succeeded' ? 'success' : 'error',
      details: { action, service, dry_run: dryRun, ...(input && { input }), host, state, message },
    },
  );
}

/** The other operation can end between the two statements. */
const MAX_ATTEMPTS = 5;

type NewOperation = {
  host: string;
  action: OperationAction;
  service: MailService | null;
  dryRun: boolean;
  input: OperationInput | null;
};

type Requester = { admin: { id: string; email: string }; apiKeyId: string | null; requestId: string; ip: string };

const SCHEDULE = { admin: null, apiKeyId: null, ip: '127.0.0.1' };

/** @throws ORCHESTRATOR_BUSY with the id of the operation of the same lane that isn't finished */
export async function insertOperation(tx: Tx, operation: NewOperation, requester: Requester): Promise<string> {
  const lane = laneOf(operation.action);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const id = await insertUnlessBusy(tx, operation, requester);
    if (id !== null) return id;
    const other = await tx.operation.findFirst({ where: { finishedAt: null, lane }, select: { id: true } });
    if (!other) continue;
    throw new AppError('ORCHESTRATOR_BUSY', 'Another operation is running. Wait until it is finished.', {
      details: { operation_id: other.id },
    });
  }
  throw new AppError('SERVICE_UNAVAILABLE', 'Other operations keep starting. Retry in a moment.');
}

/** Starts an operation that nobody asked for. @returns its id; null if another one of its lane isn't finished */
export function insertScheduled(tx: Tx, host: string, action: OperationAction): Promise<string | null> {
  const operation = { host, action, service: null, dryRun: false, input: null };
  return insertUnlessBusy(tx, operation, { ...SCHEDULE, requestId: uuidv7() });
}

async function insertUnlessBusy(
  tx: Tx,
  { host, action, service, dryRun, input }: NewOperation,
  { admin, apiKeyId, requestId, ip }: Omit<Requester, 'admin'> & { admin: Requester['admin'] | null },
): Promise<string | null> {
  const id = uuidv7();
  const count = await tx.$executeRaw`
    INSERT INTO operation (id, host, action, lane, service, dry_run, input, requested_by_id, requested_by_email,
                           api_key_id, request_id, ip_address, created_at, leased_until)
    VALUES (${id}::uuid, ${host}, ${action}, ${laneOf(action)}, ${service}, ${dryRun},
            ${input && JSON.stringify(input)}::jsonb, ${admin?.id ?? null}::uuid, ${admin?.email ?? null},
            ${apiKeyId}::uuid, ${requestId}::uuid, ${ip}, now(), ${LEASE.end})
    ON CONFLICT (lane) WHERE finished_at IS NULL DO NOTHING`;
  return count === 1 ? id : null;
}
