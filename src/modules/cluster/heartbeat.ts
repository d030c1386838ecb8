import { availableParallelism, hostname, loadavg } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { releaseDeliveriesOf } from '@/modules/webhooks/service';
import { listen } from '@/server/background/notifications';
import { repeat } from '@/server/background/repeat';
import { thisNode } from '@/server/cluster/this-node';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { env } from '@/server/settings/env';
import packageJson from '../../../package.json';
import type { ClusterNode } from './schema';

export const CLUSTER_CHANNEL = 'cluster_nodes';
/** Four heartbeats missed. A node without any for longer is dead. */
export const DEAD_AFTER_SECONDS = 20;

const HEARTBEAT_INTERVAL_MS = 5_000;
const LEAVE_TIMEOUT_MS = 1_000;
const FORGOTTEN_AFTER_HOURS = 24;
/** A day; a larger difference is no more wrong. */
const MAX_AHEAD_MS = 86_400_000;

type Roles = ClusterNode['roles'];

const startedAt = new Date();

/**
 * Registers this process and sends its heartbeats. What an admin sets, such as draining, is in effect at the next one, or
 * when the notification arrives.
 * @returns a function that ends it and unregisters the process
 */
export async function joinCluster(db: Database, roles: Roles): Promise<() => Promise<unknown>> {
  const beat = () => recordHeartbeat(db, roles);
  await beat();
  await replaceDead(db, roles);
  const task = repeat('sending heartbeat', HEARTBEAT_INTERVAL_MS, beat);
  const endListening = listen(CLUSTER_CHANNEL, task.runNow);
  const leave = async () => {
    await endListening();
    await task.end();
    await db.clusterNode.deleteMany({ where: { id: thisNode().id } });
  };
  // Without the database the row stays, and the process still stops.
  return () =>
    Promise.race([
      leave().catch((error: unknown) => log.debug({ error }, 'cannot unregister this instance')),
      setTimeout(LEAVE_TIMEOUT_MS, undefined, { ref: false }),
    ]);
}

/** Removes what was killed on this host, since this process takes its place. */
async function replaceDead(db: Database, roles: Roles): Promise<void> {
  const dead = await db.$queryRaw<{ id: string }[]>`
    SELECT id FROM cluster_node
     WHERE host = ${hostname()} AND roles = ${roles}::text[] AND beat_at < now() - make_interval(secs => ${DEAD_AFTER_SECONDS})`;
  for (const { id } of dead) await releaseDeliveriesOf(db, id);
  await db.clusterNode.deleteMany({ where: { id: { in: dead.map(({ id }) => id) } } });
}

async function recordHeartbeat(db: Database, roles: Roles): Promise<void> {
  const node = thisNode();
  const now = new Date();
  const [row] = await db.$queryRaw<{ state: ClusterNode['state'] }[]>`
    INSERT INTO cluster_node (id, host, process_id, port, version, roles, load_average, cpus, memory_bytes, started_at, beat_at,
                              clock_ahead_ms)
    VALUES (${node.id}::uuid, ${hostname()}, ${process.pid}, ${roles.includes('agent') ? null : env().port}, ${packageJson.version}, ${roles}::text[],
            ${loadavg()[0] ?? 0}, ${availableParallelism()}, ${process.memoryUsage.rss()}, ${startedAt}, now(),
            least(greatest(round(extract(epoch FROM ${now}::timestamptz - clock_timestamp()) * 1000),
                           -${MAX_AHEAD_MS}::float8), ${MAX_AHEAD_MS}::float8)::int)
    ON CONFLICT (id) DO UPDATE
      SET load_average = excluded.load_average, cpus = excluded.cpus, memory_bytes = excluded.memory_bytes, beat_at = excluded.beat_at,
          clock_ahead_ms = excluded.clock_ahead_ms
    RETURNING state`;
  node.isDraining = row?.state === 'draining';
  await db.$executeRaw`
    DELETE FROM cluster_node WHERE beat_at < now() - make_interval(hours => ${FORGOTTEN_AFTER_HOURS})`;
}
