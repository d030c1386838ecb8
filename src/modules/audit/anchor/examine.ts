import type { Tx } from '@/server/database/db';
import { findArchived, findInArchive } from '../archive';
import { hexOf, isSamePlace, isSignedPlace, type Place, START } from '../chain';
import { type Accepted, findAccepted, isNewer } from './accept';
import type { Anchor } from './anchor-file';

/** The knowledge that an instance has of the log without the database. */
export type Known = {
  anchor: Anchor | null;
  /** When a file that this instance didn't sign was written, if there is one. */
  alteredAt: Date | null;
  /** Folder of archived entries of this instance. */
  archiveDir: string | null;
};

export const NOTHING_KNOWN: Known = { anchor: null, alteredAt: null, archiveDir: null };

export type Examined = {
  /** The end of the log in the database. */
  head: Place;
  /** The accepted end that applies, if any. */
  accepted: Accepted | null;
  /** Why the log must not be continued there, in a sentence. */
  problem: string | null;
};

/** Looks at the end of the log in the database: it must be signed, and continue what is known. */
export async function examineHead(tx: Tx, known: Known): Promise<Examined> {
  const row = await tx.auditHead.findUnique({ where: { id: 1 } });
  const accepted = await findAccepted(tx);
  const head: Place = row ? { seq: row.seq, hash: row.hash } : START;
  const found = (problem: string | null): Examined => ({ head, accepted, problem });

  if (!row) return found('The signed end of the audit log is missing from the database.');
  const isUnused = row.signature === null && isSamePlace(head, START);
  if (!isUnused && !isSignedPlace('audit head', head, row.signature))
    return found(`The end of the audit log, ${named(head)}, is not signed with a key in SECRET_KEY.`);
  const last = await findLast(tx);
  if (!isSamePlace(last, head))
    return found(`The audit log ends with ${named(last)}, and its signed end is ${named(head)}.`);
  const expected = expectedPlace(known, accepted);
  if (expected === 'altered') return found(ALTERED);
  if (!expected || expected.seq === 0n) return found(null);
  return found(await compare(tx, { head, expected, archiveDir: known.archiveDir }));
}

/** The last sealed entry, or the last archived one if it was the last. */
async function findLast(tx: Tx): Promise<Place> {
  const last = await tx.auditEntry.findFirst({
    where: { seq: { not: null } },
    orderBy: { seq: 'desc' },
    select: { seq: true, hash: true },
  });
  return last?.seq && last.hash ? { seq: last.seq, hash: last.hash } : ((await findArchived(tx)) ?? START);
}

type Expected = Place & { source: string };

/** The place that the log must have, of which the end in the database may be a continuation. */
function expectedPlace({ anchor, alteredAt }: Known, accepted: Accepted | null): Expected | 'altered' | null {
  const seen = anchor ?? (alteredAt && { at: alteredAt, acceptedAt: null });
  if (accepted && (!seen || isNewer(accepted, seen)))
    return { seq: accepted.seq, hash: accepted.hash, source: `accepted at ${accepted.at.toISOString()}` };
  if (!anchor) return alteredAt ? 'altered' : null;
  return { seq: anchor.seq, hash: anchor.hash, source: `seen at ${anchor.at.toISOString()}` };
}

type Comparison = { head: Place; expected: Expected; archiveDir: string | null };

async function compare(tx: Tx, { head, expected, archiveDir }: Comparison): Promise<string | null> {
  if (expected.seq > head.seq)
    return `Entries are missing at the end: the log ends with ${named(head)} in the database, and had ${named(expected)}, ${expected.source}.`;
  const hash = expected.seq === head.seq ? head.hash : await findHash(tx, expected.seq, archiveDir);
  if (hash === 'unknown' || (hash && isSamePlace({ seq: expected.seq, hash }, expected))) return null;
  return hash === null
    ? `The log in the database has no ${named(expected)}, ${expected.source}.`
    : `The log was replaced: the database has ${named({ seq: expected.seq, hash })}, which was ${named(expected)}, ${expected.source}.`;
}

/** The hash of a sealed entry. Unknown if it is in an archive file of another instance; null if it is missing. */
async function findHash(tx: Tx, seq: bigint, archiveDir: string | null): Promise<Uint8Array | 'unknown' | null> {
  const entry = await tx.auditEntry.findUnique({ where: { seq }, select: { hash: true } });
  if (entry) return entry.hash;
  const archived = await findArchived(tx);
  if (!archived || archived.seq < seq) return null;
  if (archived.seq === seq) return archived.hash;
  return (archiveDir && (await findInArchive(archiveDir, seq))) || 'unknown';
}

function named({ seq, hash }: Place): string {
  return seq === 0n ? 'no entry' : `entry ${seq} (hash ${hexOf(hash).slice(0, 16)}…)`;
}

const ALTERED =
  'The end of the audit log in DATA_DIR/audit-head was altered, or signed with a key that is not in SECRET_KEY.';
