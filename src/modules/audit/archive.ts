import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { lock } from '@/server/database/advisory-locks';
import type { Database, Tx } from '@/server/database/db';
import { writeDurably } from '@/server/durable-file';
import { ENTRY_TEXT, hexOf, isSignedPlace, linkFrom, type Place, START, signPlace } from './chain';

/** In DATA_DIR. */
export const ARCHIVE_FOLDER = 'audit-archive';

const STEP = 5_000;
const DAY_MS = 24 * 60 * 60 * 1000;

type Row = { seq: bigint; hash: Uint8Array; isValid: boolean; isOld: boolean; entry: string };
type Target = { dir: string; keptDays: number; now: Date };

/**
 * Moves sealed entries older than `keptDays` into files with their proof, once a day: a file is complete on disk before
 * its entries are deleted. The place of the last one stays, signed, and verification starts there. 0 keeps all entries.
 * @throws if the chain is broken; nothing is deleted then
 */
export async function archiveAuditEntries(db: Database, target: Target): Promise<void> {
  if (target.keptDays === 0) return;
  for (let isDue = await hasDue(db, target); isDue; ) {
    isDue = await db.$transaction(
      async (tx) => {
        await lock(tx, 'archiving');
        return archiveStep(tx, target);
      },
      { timeout: 60_000 },
    );
  }
}

/** The last archived entry, or the start of the chain. Null if its record was altered. */
export async function findArchived(tx: Tx): Promise<Place | null> {
  const archived = await tx.auditArchived.findUnique({ where: { id: 1 } });
  if (!archived) return START;
  return isSignedPlace('audit archived', archived, archived.signature) ? archived : null;
}

/** Once a day, because the oldest entry is then a day older than it needs to be. */
async function hasDue(db: Database, { keptDays, now }: Target): Promise<boolean> {
  const oldest = await db.auditEntry.findFirst({
    where: { seq: { not: null } },
    orderBy: { seq: 'asc' },
    select: { createdAt: true },
  });
  return oldest !== null && now.getTime() - oldest.createdAt.getTime() >= (keptDays + 1) * DAY_MS;
}

/** Archives up to a number of entries. @returns whether there may be more */
async function archiveStep(tx: Tx, { dir, keptDays, now }: Target): Promise<boolean> {
  const start = await findArchived(tx);
  if (!start) throw new Error('the record of the archived audit entries was altered');
  const before = new Date(now.getTime() - keptDays * DAY_MS);
  const rows = await tx.$queryRaw<Row[]>`
    SELECT seq, hash, created_at < ${before} AS "isOld", ${ENTRY_TEXT} AS entry, ${linkFrom(start)} AS "isValid"
      FROM audit_entry entry WHERE seq > ${start.seq}
    WINDOW chain AS (ORDER BY seq) ORDER BY seq LIMIT ${STEP}`;
  const firstKept = rows.findIndex(({ isOld }) => !isOld);
  const old = firstKept === -1 ? rows : rows.slice(0, firstKept);
  const last = old.at(-1);
  if (!last) return false;
  if (old.some(({ isValid }) => !isValid)) throw new Error('the audit log is broken, so nothing was archived');
  const end = { seq: last.seq, hash: last.hash };
  await writeArchive(dir, start, end, old);
  await removeLeftovers(dir, start, old);
  const fields = {
    seq: end.seq,
    hash: new Uint8Array(end.hash),
    signature: signPlace('audit archived', end),
    archivedAt: now,
  };
  await tx.auditArchived.upsert({ where: { id: 1 }, create: fields, update: fields, select: { id: true } });
  await tx.auditEntry.deleteMany({ where: { seq: { lte: end.seq } } });
  return old.length === STEP;
}

/** One line about the file, then one per entry: its hash, and the text that the hash covers after the previous hash. */
async function writeArchive(dir: string, start: Place, end: Place, rows: Row[]): Promise<void> {
  const head = {
    format: 'postroom-audit-archive-1',
    first_seq: String(start.seq + 1n),
    last_seq: String(end.seq),
    prev_hash: hexOf(start.hash),
    last_hash: hexOf(end.hash),
    signature: signPlace('audit archived', end),
  };
  const lines = [head, ...rows.map(({ hash, entry }) => ({ hash: hexOf(hash), entry }))];
  const file = path.join(dir, `audit-${head.first_seq}-${head.last_seq}.ndjson`);
  await writeDurably(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Removes the files of steps that failed after they were written, such as with a full disk. The new file has their entries. */
async function removeLeftovers(dir: string, start: Place, rows: Row[]): Promise<void> {
  for (const name of await readdir(dir)) {
    const [, first, last] = ARCHIVE_NAME.exec(name) ?? [];
    if (!first || !last || BigInt(first) !== start.seq + 1n) continue;
    const isContained = Number(last) - Number(first) < rows.length - 1;
    const head = JSON.parse((await readFile(path.join(dir, name), 'utf8')).split('\n', 1)[0] ?? '{}');
    const same = rows[Number(last) - Number(first)];
    if (isContained && same && head.last_hash === hexOf(same.hash)) await rm(path.join(dir, name));
  }
}

/** The hash of an archived entry. Null if none of the files in the folder has it. */
export async function findInArchive(dir: string, seq: bigint): Promise<Uint8Array | null> {
  for (const name of await readdir(dir).catch(() => [])) {
    const [, first, last] = ARCHIVE_NAME.exec(name) ?? [];
    if (!first || !last || BigInt(first) > seq || BigInt(last) < seq) continue;
    const lines = (await readFile(path.join(dir, name), 'utf8')).split('\n');
    const { hash } = JSON.parse(lines[Number(seq - BigInt(first)) + 1] ?? '{}') as { hash?: string };
    return hash === undefined ? null : new Uint8Array(Buffer.from(hash, 'hex'));
  }
  return null;
}

const ARCHIVE_NAME = /^audit-(\d+)-(\d+)\.ndjson$/;
