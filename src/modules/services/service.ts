import type {
  ConfiguredService,
  CustomFile,
  DriftedFile,
  LineKind,
  MailService,
  OperationAction,
  OperationInput,
} from '@/lib/mail/operations';
import { listInstances } from '@/modules/cluster/service';
import {
  attachedHosts,
  findRelays,
  kickAgents,
  mailServerState,
  requireMailServer,
} from '@/modules/mail-server/service';
import type { Clock } from '@/server/clock';
import type { Database, Tx } from '@/server/database/db';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { env } from '@/server/settings/env';
import { expiredOutcome, insertOperation, insertScheduled, interruptExpired } from './lease';
import { type ListOperations, operationList } from './lists';
import type {
  CreateOperation,
  GetOperation,
  MailServiceStatus,
  Operation,
  OperationDetails,
  Orchestrator,
  Relay,
} from './schema';

export async function getServices({ db }: ActorContext): Promise<Orchestrator> {
  const [now, state, hosts, rows, latest, relays, instances, running] = await Promise.all([
    databaseTime(db),
    mailServerState(db),
    attachedHosts(db),
    db.mailService.findMany({ orderBy: { host: 'asc' } }),
    latestOperations(db),
    listRelays(db),
    listInstances(db),
    db.operation.findFirst({ where: { finishedAt: null, lane: 'services' } }),
  ]);
  const services = rows.map((row) =>
    presentService(row, { now, isAttached: hosts.includes(row.host), last: latestOf(latest, row) }),
  );
  const operation = running && present(running, now);
  return {
    mail_server: state,
    services: services.sort((one, other) => one.host.localeCompare(other.host) || placeOf(one) - placeOf(other)),
    relays,
    instances,
    running: operation?.finished_at === null ? operation : null,
  };
}

/** The relays of the mail servers that are attached and use one. */
async function listRelays(db: Tx): Promise<Relay[]> {
  const agents = await findRelays(db);
  return agents.map(({ host, relay: { destination, user, tls, isTlsFromStart } }) => ({
    ...{ host, destination, user: user === '' ? null : user, tls },
    ...{ tls_from_start: isTlsFromStart, spf: env().relaySpf ?? null },
  }));
}

export async function listOperations(ctx: ActorContext, input: ListOperations): Promise<Page<Operation>> {
  const now = await databaseTime(ctx.db);
  return paginate(operationList, input, {
    fetch: (keyset) => ctx.db.operation.findMany(keyset),
    count: (take) => ctx.db.operation.count({ take }),
    present: (row: Row) => present(row, now),
  });
}

/** @throws NOT_FOUND */
export async function getOperation({ db }: ActorContext, { id, after }: GetOperation): Promise<OperationDetails> {
  const now = await databaseTime(db);
  // Before the lines, so that no line is missing from the output of one that is finished.
  const row = await db.operation.findUnique({ where: { id } });
  if (!row) throw notFound('operation');
  const where = { operationId: id, number: { gt: after } };
  const lines = await db.operationLine.findMany({ where, orderBy: { number: 'asc' } });
  const output = lines.map(({ number, at, kind, text }) => ({
    number,
    at: at.toISOString(),
    kind: kind as LineKind,
    text,
  }));
  return { ...present(row, now), output };
}

/**
 * Leaves an operation to the agent of a mail server.
 * @throws MAIL_STACK_UNAVAILABLE; VALIDATION_ERROR for a host that isn't attached; ORCHESTRATOR_BUSY with the id of the
 * operation that isn't finished
 */
export function createOperation(
  ctx: MutationContext,
  { dry_run: dryRun, ...asked }: CreateOperation,
): Promise<Operation> {
  return startOperation(ctx, { ...asked, dryRun });
}

type Asked = {
  action: OperationAction;
  service?: MailService;
  /** Needed if several mail servers are attached. */
  host?: string;
  dryRun?: boolean;
  input?: OperationInput;
  /** Further facts for the audit log. */
  facts?: object;
};

/** As {@link createOperation}, for every action. */
export async function startOperation(
  ctx: MutationContext,
  { action, service, host: wanted, dryRun = false, input, facts }: Asked,
): Promise<Operation> {
  await requireMailServer(ctx.db);
  const host = chooseHost(await attachedHosts(ctx.db), wanted);
  const { actor, request } = ctx;
  return ctx.transaction(async ({ tx, audit }) => {
    await interruptExpired(tx, ctx.clock);
    const id = await insertOperation(
      tx,
      { host, action, service: service ?? null, dryRun, input: input ?? null },
      { admin: actor.admin, apiKeyId: actor.key?.id ?? null, requestId: request.id, ip: request.ip },
    );
    await kickAgents(tx);
    const row = await tx.operation.findUniqueOrThrow({ where: { id } });
    const operation = present(row, await databaseTime(tx));
    const { service: named, dry_run, input: details } = operation;
    await audit({
      resource: `operation:${id}`,
      after: { host, action, service: named, dry_run, ...(details && { input: details }), ...facts },
    });
    return operation;
  });
}

/** Starts an operation that nobody asked for, unless another one of its lane isn't finished. */
export async function startScheduled(db: Database, clock: Clock, host: string, action: OperationAction): Promise<void> {
  await db.$transaction(async (tx) => {
    await interruptExpired(tx, clock);
    if (await insertScheduled(tx, host, action)) await kickAgents(tx);
  });
}

/** @throws VALIDATION_ERROR */
export function chooseHost(hosts: string[], wanted: string | undefined): string {
  const [only, other] = hosts;
  if (wanted === undefined && only !== undefined && other === undefined) return only;
  if (wanted !== undefined && hosts.includes(wanted)) return wanted;
  const message = `Name one of the attached mail servers: ${hosts.join(', ')}.`;
  throw new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'host', message }] } });
}

type Row = Prisma.OperationGetPayload<object>;
type Latest = Pick<Row, 'id' | 'host' | 'service' | 'action' | 'state' | 'finishedAt' | 'createdAt'>;

/** The latest operation of each service of each host, and of all its services. */
function latestOperations(db: Tx): Promise<Latest[]> {
  return db.$queryRaw<Latest[]>`
    SELECT DISTINCT ON (host, service)
           id, host, service, action, state, finished_at AS "finishedAt", created_at AS "createdAt"
      FROM operation WHERE lane = 'services' AND NOT dry_run AND finished_at IS NOT NULL
     ORDER BY host, service, created_at DESC`;
}

function latestOf(latest: Latest[], { host, service }: { host: string; service: string }): Latest | undefined {
  return latest
    .filter(
      (each) => each.host === host && (each.service === service || (each.service === null && service !== 'agent')),
    )
    .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime())[0];
}

async function databaseTime(db: Tx): Promise<Date> {
  const [row] = await db.$queryRaw<[{ now: Date }]>`SELECT now()`;
  return row.now;
}

const ORDER: ConfiguredService[] = ['postfix', 'dovecot', 'rspamd', 'redis', 'agent'];

function placeOf({ service }: { service: ConfiguredService }): number {
  return ORDER.indexOf(service);
}

/** An operation whose lease has ended is interrupted, even if that isn't stored yet. */
function present(row: Row, now: Date): Operation {
  const { state } = row;
  const isExpired = (state === 'queued' || state === 'running') && row.leasedUntil <= now;
  const outcome = isExpired ? expiredOutcome(state) : row;
  return {
    id: row.id,
    host: row.host,
    action: row.action as OperationAction,
    service: row.service as MailService | null,
    dry_run: row.dryRun,
    state: outcome.state,
    message: outcome.message,
    input: presentInput(row.input as OperationInput | null),
    requested_by:
      row.requestedById !== null && row.requestedByEmail !== null
        ? { id: row.requestedById, email: row.requestedByEmail }
        : null,
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: (isExpired ? row.leasedUntil : row.finishedAt)?.toISOString() ?? null,
  };
}

function presentInput(input: OperationInput | null): Operation['input'] {
  return input && 'snapshot' in input ? { snapshot: input.snapshot, mailbox: input.mailbox, mode: input.mode } : null;
}

type Seen = { now: Date; isAttached: boolean; last: Latest | undefined };

function presentService(row: Prisma.MailServiceGetPayload<object>, { now, isAttached, last }: Seen): MailServiceStatus {
  const startedAt = row.startedAt;
  return {
    host: row.host,
    service: row.service as ConfiguredService,
    state: isAttached ? row.state : 'unknown',
    since: (isAttached ? row.since : row.checkedAt).toISOString(),
    message: isAttached ? row.message : '',
    version: row.version,
    process_id: isAttached ? row.processId : null,
    started_at: startedAt?.toISOString() ?? null,
    uptime_seconds:
      isAttached && startedAt ? Math.max(Math.round((now.getTime() - startedAt.getTime()) / 1000), 0) : null,
    drift: row.drift as DriftedFile[] | null,
    drift_message: row.driftMessage,
    custom: row.custom as CustomFile[],
    last_operation: last
      ? {
          id: last.id,
          action: last.action as OperationAction,
          state: last.state,
          finished_at: last.finishedAt?.toISOString() ?? null,
        }
      : null,
    checked_at: row.checkedAt.toISOString(),
  };
}
