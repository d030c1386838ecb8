import { laneOf, type MailService, type OperationAction, type OperationInput } from '@/lib/mail/operations';
import { uuidv7 } from '@/lib/uuid';
import type { Tx } from '@/server/db';
import { AppError } from '@/server/errors';
import { LEASE } from './lease';

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
