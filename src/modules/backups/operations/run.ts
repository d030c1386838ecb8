import type { Client } from 'pg';
import { storeWhileLeased } from '@/server/background/lease';
import { repeat } from '@/server/background/repeat';
import type { Clock } from '@/server/clock';
import { type Database, isDatabaseAway, isDatabaseFull, separateDatabase } from '@/server/database/db';
import { log } from '@/server/log';
import { StoreError, type StoreFailure } from '@/server/object-store/port';
import type { Prisma } from '@/server/prisma/client';
import { processWide } from '@/server/process-wide';
import { env } from '@/server/settings/env';
import { BackupError, type Progress } from '../archive/format';
import { withDatabase } from '../connect';
import { finishOperation, LEASE, type Lease, type OperationProgress, type Outcome, renewLease } from './lease';

const RENEW_INTERVAL_MS = 2_000;

/** The connection, signal and callbacks that the work of an operation gets. */
export type Tools = {
  /** A connection of its own, which holds the lock of backups and restores. */
  client: Client;
  /** Ends the work: this process stops, or the lease has ended. */
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
  onBytes: (count: number) => void;
};

type Done = Omit<Outcome, 'state'> & {
  /** Runs if the outcome can't be stored, because the lease has ended. */
  undo?: () => Promise<void>;
  /** The work has stored the end of the operation in its own transaction. */
  isStored?: boolean;
};

export type Work = (tools: Tools) => Promise<Done>;

type Running = { abort: (reason: Error) => void; ended: Promise<unknown> };

const underWay = processWide<Set<Running>>('backup operations');

/** A failure that the record of the backup shows, too. */
export class RecordedFailure extends BackupError {
  override name = 'RecordedFailure';

  constructor(
    message: string,
    readonly backup: Prisma.BackupUpdateInput,
  ) {
    super(message);
  }
}

class Stopped extends BackupError {
  override name = 'Stopped';
}

/** Does the work of an operation out of the request that has started it. Never fails: its outcome says what happened. */
export function runOperation(clock: Clock, { lease, work, onProgress }: Omit<Run, 'stopping'>): Promise<Outcome> {
  const stopping = new AbortController();
  // Requests that wait for the tables of a restore hold all connections of the app.
  const db = separateDatabase();
  const ended = run(db, clock, { lease, work, onProgress, stopping }).finally(() => db.$disconnect());
  const running: Running = { abort: (reason) => stopping.abort(reason), ended };
  underWay.current ??= new Set();
  underWay.current.add(running);
  return ended.finally(() => underWay.current?.delete(running));
}

/** Ends what runs in this process, as interrupted, without a trace of what is half done. */
export async function stopOperations(): Promise<void> {
  for (const { abort } of underWay.current ?? []) abort(new Stopped('Postroom was stopped while it ran.'));
  await operationsEnded();
}

export async function operationsEnded(): Promise<void> {
  await Promise.all([...(underWay.current ?? [])].map(({ ended }) => ended));
}

type Run = { lease: Lease; work: Work; stopping: AbortController; onProgress?: (progress: Progress) => void };

async function run(db: Database, clock: Clock, { lease, work, stopping, onProgress }: Run): Promise<Outcome> {
  const progress: OperationProgress = { table: null, done: 0, total: 0, rows: 0, bytes: 0 };
  const renewal = repeat('renewing the lease of a backup operation', RENEW_INTERVAL_MS, async () => {
    if (!(await renewLease(db, lease, progress))) stopping.abort(new Stopped('It was taken for dead, and ended.'));
  });
  const tools = {
    signal: stopping.signal,
    onProgress: (latest: Progress) => {
      const { table, tables, rows } = latest;
      Object.assign(progress, { table, ...tables, rows });
      onProgress?.(latest);
    },
    onBytes: (count: number) => {
      progress.bytes += count;
    },
  };
  let outcome: Outcome | undefined;
  const finish = async (done: Done | { error: unknown }) => {
    await renewal.end();
    await renewLease(db, lease, progress).catch(() => false);
    outcome = 'error' in done ? outcomeOf(done.error, lease) : { ...done, state: 'succeeded' };
    if ('error' in done || !done.isStored) await store(db, clock, lease, { undo: undefined, ...done, outcome });
  };
  const reasonOf = (error: unknown) => (stopping.signal.aborted ? stopping.signal.reason : error);
  await withDatabase(
    env().databaseUrl,
    // While the lock is held, so that a free lock shows that the runner is gone.
    async (client) => {
      // Opens the connection before the work, which may leave the server none.
      await renewLease(db, lease, progress);
      await work({ ...tools, client }).then(finish, (error) => finish({ error: reasonOf(error) }));
    },
    { signal: tools.signal, operationId: lease.id },
  ).catch(async (error: unknown) => {
    if (!outcome) await finish({ error: reasonOf(error) });
  });
  if (!outcome) throw new TypeError('an operation ended without an outcome');
  log.info({ operation_id: lease.id, outcome: outcome.message }, 'backup operation finished');
  return outcome;
}

type Stored = { outcome: Outcome; undo: Done['undo'] };

/** Without the database the lease ends by itself. */
async function store(db: Database, clock: Clock, lease: Lease, { outcome, undo }: Stored): Promise<void> {
  try {
    if (await storeWhileLeased(LEASE.seconds, () => finishOperation(db, clock, lease, outcome))) return;
    await undo?.();
  } catch (error) {
    log.error({ operation_id: lease.id, error }, 'storing the outcome of a backup operation failed');
  }
}

function outcomeOf(error: unknown, { id }: Lease): Outcome {
  if (error instanceof Stopped) return { state: 'interrupted', message: error.message };
  if (error instanceof RecordedFailure) return { state: 'failed', message: error.message, backup: error.backup };
  if (error instanceof BackupError) return { state: 'failed', message: error.message };
  log.error({ operation_id: id, error }, 'backup operation failed');
  return { state: 'failed', message: sentenceOf(error) };
}

const STORE_FAILURES: Record<StoreFailure, (reason: string) => string> = {
  full: (reason) => `There is not enough room for the archive (${reason}).`,
  away: (reason) => `Backup storage didn’t respond (${reason}). Check BACKUP_TARGET, and that this host can reach it.`,
  absent: (reason) => `${reason}.`,
};

function sentenceOf(error: unknown): string {
  if (error instanceof StoreError) return STORE_FAILURES[error.failure](error.message.replace(/\.$/, ''));
  if (isDatabaseFull(error)) return 'The disk of the database server is full. Free space on it.';
  if (isDatabaseAway(error)) return 'The connection to the database was lost.';
  return 'It failed unexpectedly. The log of Postroom has the reason.';
}
