import { releaseDeliveriesOf } from '@/modules/webhooks/service';
import type { Tx } from '@/server/database/db';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { CLUSTER_CHANNEL, DEAD_AFTER_SECONDS } from './heartbeat';
import { type ListClusterNodes, nodeList } from './lists';
import type { ClusterNode, UpdateClusterNode } from './schema';

const MAX_INSTANCES = 200;

export async function listNodes(ctx: ActorContext, input: ListClusterNodes): Promise<Page<ClusterNode>> {
  const now = await databaseTime(ctx.db);
  return paginate(nodeList, input, {
    fetch: (keyset) => ctx.db.clusterNode.findMany(keyset),
    count: (take) => ctx.db.clusterNode.count({ take }),
    present: (row: Row) => present(row, now),
  });
}

export async function getNode({ db }: ActorContext, { id }: { id: string }): Promise<ClusterNode> {
  const row = await db.clusterNode.findUnique({ where: { id } });
  if (!row) throw notFound('instance');
  return present(row, await databaseTime(db));
}

/** The app's instances, without the mail agents. */
export async function listInstances(db: Tx): Promise<ClusterNode[]> {
  const now = await databaseTime(db);
  const rows = await db.clusterNode.findMany({
    where: { NOT: { roles: { has: 'agent' } } },
    orderBy: [{ startedAt: 'asc' }, { id: 'asc' }],
    take: MAX_INSTANCES,
  });
  return rows.map((row) => present(row, now));
}

/**
 * Lets an instance drain, or take work again.
 * @throws NOT_FOUND; CONFLICT for a mail agent, and for an instance that is dead
 */
export async function updateNode(ctx: MutationContext, { id, state }: UpdateClusterNode): Promise<ClusterNode> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    const before = await lock(tx, id);
    await requireVersion();
    const now = await databaseTime(tx);
    if (before.roles.includes('agent'))
      throw new AppError(
        'CONFLICT',
        'A mail agent can’t drain. Stop it on its host: mail waits in the queue meanwhile.',
      );
    if (!isAlive(before, now))
      throw new AppError('CONFLICT', 'This instance sends no heartbeats any more. Remove it instead.');
    const after = await tx.clusterNode.update({ where: { id }, data: { state } });
    await tx.$executeRaw`SELECT pg_notify(${CLUSTER_CHANNEL}, '')`;
    const node = present(after, now);
    await audit({ resource: `cluster_node:${id}`, before: { host: node.host, state: before.state }, after: { state } });
    return node;
  });
}

/**
 * Removes an instance that is dead, so that others take over immediately what it was delivering.
 * @throws NOT_FOUND; CONFLICT while it is alive
 */
export async function removeNode(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  await ctx.transaction(async ({ tx, audit, requireVersion }) => {
    const row = await lock(tx, id);
    await requireVersion();
    const now = await databaseTime(tx);
    if (isAlive(row, now))
      throw new AppError('CONFLICT', 'This instance is running. Stop it first: it then unregisters.');
    await releaseDeliveriesOf(tx, id);
    await tx.clusterNode.delete({ where: { id } });
    await audit({ resource: `cluster_node:${id}`, before: present(row, now) });
  });
  return { message: 'Instance removed.' };
}

/** How many instances are dead, and how many versions the others run. */
export async function countNodes(db: Tx): Promise<{ dead: number; versions: number }> {
  const [counts] = await db.$queryRaw<[{ dead: number; versions: number }]>`
    SELECT count(*) FILTER (WHERE NOT alive)::int AS dead, count(DISTINCT version) FILTER (WHERE alive)::int AS versions
      FROM (SELECT version, beat_at > now() - make_interval(secs => ${DEAD_AFTER_SECONDS}) AS alive
              FROM cluster_node) AS node`;
  return counts;
}

type Row = Prisma.ClusterNodeGetPayload<object>;

async function lock(tx: Tx, id: string): Promise<Row> {
  await tx.$queryRaw`SELECT FROM cluster_node WHERE id = ${id}::uuid FOR UPDATE`;
  const row = await tx.clusterNode.findUnique({ where: { id } });
  if (!row) throw notFound('instance');
  return row;
}

async function databaseTime(db: Tx): Promise<Date> {
  const [row] = await db.$queryRaw<[{ now: Date }]>`SELECT now()`;
  return row.now;
}

function isAlive({ beatAt }: Row, now: Date): boolean {
  return now.getTime() - beatAt.getTime() <= DEAD_AFTER_SECONDS * 1000;
}

function present(row: Row, now: Date): ClusterNode {
  return {
    id: row.id,
    host: row.host,
    process_id: row.processId,
    port: row.port,
    version: row.version,
    roles: row.roles as ClusterNode['roles'],
    state: row.state,
    alive: isAlive(row, now),
    load_average: row.loadAverage,
    cpus: row.cpus,
    memory_bytes: Number(row.memoryBytes),
    clock_ahead_ms: row.clockAheadMs,
    started_at: row.startedAt.toISOString(),
    last_heartbeat_at: row.beatAt.toISOString(),
  };
}
