import { hostname } from 'node:os';
import type { Database, Tx } from '@/server/database/db';
import type { StoredObject } from '@/server/object-store/port';
import { CUT_OFF } from '../operations/lease';
import { openTarget } from '../target/open';
import type { BackupTarget } from '../target/port';
import type { BackupRow } from './present';

/** Lists archives that no record knows, such as on a new machine after a disaster, and marks those that are gone. */
export async function reconcileBackups(db: Database, now: Date): Promise<void> {
  const target = await openTarget();
  const location = target.label;
  // Before the archives are listed, so that one that is made meanwhile isn't missing.
  const known = await db.backup.findMany({ where: { location } });
  const found = new Map<string, StoredObject>();
  for await (const object of target.list()) found.set(object.name, object);

  const names = new Set(known.map(({ name }) => name));
  const unknown = [...found.values()].filter(({ name }) => !names.has(name));
  await db.backup.createMany({
    data: unknown.map(({ name, bytes, storedAt }) => ({
      trigger: 'found',
      status: 'completed',
      ...{ name, location, host: hostname(), sizeBytes: bytes },
      ...{ startedAt: earlier(timeIn(name) ?? storedAt, now), finishedAt: earlier(storedAt, now) },
    })),
    skipDuplicates: true,
  });
  const gone = known.filter(({ name, status }) => status === 'completed' && !found.has(name));
  if (gone.length > 0 && (await hasOwn(db, location))) await target.requirePlace({ isNew: false });
  for (const row of known) await update(db, row, { target, object: found.get(row.name) });
}

type Seen = { target: BackupTarget; object: StoredObject | undefined };

async function update(db: Database, row: BackupRow, { target, object }: Seen): Promise<void> {
  const { id, status } = row;
  // It failed if Postroom stopped between the end of the archive and that of the operation.
  if (object && (status === 'missing' || (status === 'failed' && row.error === CUT_OFF))) {
    const sizeBytes = object.bytes;
    const data = { status: 'completed' as const, error: null, nextAttemptAt: null, sizeBytes };
    await db.backup.updateMany({ where: { id, status }, data });
  }
  if (!object && status === 'completed' && (target.isShared || (await isJudge(db, row)))) {
    const error = `The archive is no longer in ${target.label}.`;
    await db.backup.updateMany({ where: { id, status }, data: { status: 'missing', error } });
  }
}

/** Whether an archive that was made there, and that this host can judge, is known to be in a location. */
export async function hasOwn(db: Tx, location: string): Promise<boolean> {
  const rows = await db.backup.findMany({
    where: { location, status: 'completed', trigger: { not: 'found' } },
    select: { host: true },
    distinct: ['host'],
  });
  for (const row of rows) if (await isJudge(db, row)) return true;
  return false;
}

/** A folder of the same name on another host has other archives, as long as an instance there looks after them. */
export async function isJudge(db: Tx, { host }: Pick<BackupRow, 'host'>): Promise<boolean> {
  if (host === hostname()) return true;
  return (await db.clusterNode.count({ where: { host, roles: { has: 'worker' } } })) === 0;
}

/** A clock that was wrong can have named or stored it in the future, or at no time at all. */
function earlier(at: Date, now: Date): Date {
  return at < now ? at : now;
}

/** Returns the time in a name that `archiveName` made. */
function timeIn(name: string): Date | null {
  const [, day, hours, minutes, seconds] = /^postroom-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.age$/.exec(name) ?? [];
  const at = new Date(`${day}T${hours}:${minutes}:${seconds}Z`);
  return day && !Number.isNaN(at.getTime()) ? at : null;
}
