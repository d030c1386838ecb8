import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { formatBytes } from '@/lib/format';
import type { Clock } from '@/server/clock';
import { isDatabaseFull } from '@/server/database/db';
import type { Prisma } from '@/server/prisma/client';
import { env } from '@/server/settings/env';
import packageJson from '../../../../package.json';
import { ArchiveError, type ArchiveSource, BackupError } from '../archive/format';
import { verifyArchive } from '../archive/verify';
import { writeArchive } from '../archive/write';
import { archiveKeys, encryption } from '../encryption';
import { proveArchive } from '../proof/prove';
import { previewRestore, type RestoreResult, restore } from '../restore/restore';
import { openTargetAt } from '../target/open';
import type { BackupTarget } from '../target/port';
import type { Lease } from './lease';
import { recordRestore } from './record-restore';
import { RecordedFailure, type Tools, type Work } from './run';
import { amountOf } from './text';

/** A backup to work on. */
export type Subject = { id: string; name: string; location: string; checksum: string | null };

type NewArchive = {
  now: Date;
  /** Whether it is the first one there that is known; null for a file that someone named. */
  isNew: boolean | null;
};

/** Writes the database to an archive. */
export function creating({ name }: Pick<Subject, 'name'>, target: BackupTarget, { now, isNew }: NewArchive): Work {
  return async ({ client, signal, onProgress, onBytes }) => {
    if (isNew !== null) await target.requirePlace({ isNew });
    let rows = 0;
    const archive = await writeArchive(client, {
      ...(await encryption()),
      version: packageJson.version,
      now,
      secrets: { secret_keys: [...env().secretKeys] },
      signal,
      onProgress: (progress) => {
        rows = progress.rows;
        onProgress(progress);
      },
    });
    const { bytes, sha256 } = await target.write(name, archive, { signal, onBytes });
    return {
      message: `Stored ${amountOf(rows)} rows in ${formatBytes(bytes)}.`,
      backup: {
        status: 'completed',
        sizeBytes: bytes,
        checksum: sha256,
        version: packageJson.version,
        rows,
        finishedAt: new Date(),
        error: null,
        nextAttemptAt: null,
      },
      undo: () => target.remove(name),
    };
  };
}

/** Reads all of an archive. One that can't be used is not proven, either. */
export function verifying(subject: Subject, clock: Clock): Work {
  return async (tools) => {
    const refuse = refusalAt(clock);
    const { header, rows } = await verifyArchive(sourceOf(subject, tools), tools).catch(refuse);
    return {
      message: `All ${amountOf(rows)} rows are there and unaltered.`,
      backup: { version: header.version, rows },
    };
  };
}

/** Says what a restore would change. */
export function previewing(subject: Subject, domainId: string | undefined): Work {
  return async (tools) => {
    const options = { ...tools, ...(domainId && { scope: { domainId } }) };
    const differences = await previewRestore(tools.client, sourceOf(subject, tools), options);
    const changed = differences.filter(({ added, changed, removed }) => added + changed + removed > 0);
    const shown = differences.filter((each) => each.leftOut.length > 0 || changed.includes(each));
    return {
      message:
        changed.length === 0
          ? 'Nothing would change: the database has what is in the archive.'
          : `Rows of ${amountOf(changed.length)} tables would change.`,
      result: {
        differences: shown.map(({ leftOut, ...each }) => ({ ...each, left_out: leftOut })),
      } as unknown as Prisma.InputJsonObject,
    };
  };
}

/** Replaces what is in the database by what is in an archive. The end is stored with it, or nothing is. */
export function restoring(lease: Lease, subject: Subject, domainId: string | undefined): Work {
  return async (tools) => {
    const result = await restore(tools.client, sourceOf(subject, tools), {
      ...tools,
      ...(domainId && { scope: { domainId } }),
      record: (done) => recordRestore(tools.client, lease, { message: messageOf(done, domainId), audit: done.audit }),
    });
    return { message: messageOf(result, domainId), isStored: true };
  };
}

function messageOf({ rows, unopened, leftOut }: RestoreResult, domainId: string | undefined): string {
  const lost =
    unopened > 0
      ? ` ${amountOf(unopened)} stored secrets can’t be opened: the backup was made with another SECRET_KEY than theirs.`
      : '';
  const restored = `Restored ${amountOf(rows)} rows.${domainId ? '' : ' Everyone has to sign in again.'}`;
  return [restored + lost, ...leftOut].join(' ');
}

/**
 * For an archive that can't be used: the failure of a proof. One that filled the disk of the database server leaves its
 * message alone, so that the schedule doesn't repeat it.
 */
function refusalAt(clock: Clock) {
  return (error: unknown): never => {
    if (error instanceof BackupError && isDatabaseFull(error))
      throw new RecordedFailure(error.message, { proofMessage: error.message });
    throw error instanceof ArchiveError ? notProven(clock, error.message) : error;
  };
}

function notProven(clock: Clock, message: string): RecordedFailure {
  return new RecordedFailure(message, { proofState: 'failed', proofAt: clock.now(), proofMessage: message });
}

/** Fails at its end if it isn't the archive that was stored. */
function sourceOf({ name, location, checksum }: Subject, { onBytes }: Pick<Tools, 'onBytes'>): ArchiveSource {
  return {
    open: async () => {
      const target = await openTargetAt(location);
      const archive = await target.read(name);
      if (!archive) throw new BackupError(`${name} is not in ${location}.`);
      return Readable.from(checked(archive, { checksum, onBytes }), { objectMode: false });
    },
    keys: archiveKeys(),
  };
}

type Checks = { checksum: string | null; onBytes: (count: number) => void };

async function* checked(archive: Readable, { checksum, onBytes }: Checks): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of archive as AsyncIterable<Buffer>) {
    hash.update(chunk);
    onBytes(chunk.byteLength);
    yield chunk;
  }
  if (checksum !== null && hash.digest('hex') !== checksum)
    throw new ArchiveError(
      'damaged',
      'The archive is damaged or incomplete, or was replaced: its SHA-256 sum is not that of the stored backup.',
    );
}

/** Restores an archive into a database of its own. */
export function proving(subject: Subject, clock: Clock): Work {
  return async (tools) => {
    const source = sourceOf(subject, tools);
    const proof = await proveArchive(env().databaseUrl, source, tools).catch(refusalAt(clock));
    const { isProven, message, rows } = proof;
    if (!isProven) throw notProven(clock, message);
    return { message, backup: { rows, proofState: 'proven', proofAt: clock.now(), proofMessage: message } };
  };
}
