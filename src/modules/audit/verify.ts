import { formatCount, formatPlural } from '@/lib/format';
import { tryLock } from '@/server/database/advisory-locks';
import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import type { ActorContext } from '@/server/procedures/context';
import { auditAnchor, UNTIMELY_MS } from './anchor/anchor';
import { examineHead, type Known, NOTHING_KNOWN } from './anchor/examine';
import { findArchived } from './archive';
import { isSignedPlace, linkFrom, type Place, START, signPlace } from './chain';
import type { AuditVerification, VerifyAudit } from './schema';

const BATCH = 5000;

const MAX_UNTIMELY = 100;

type Link = { id: string; seq: bigint; hash: Uint8Array | null; atMs: number; isUntimely: boolean; isValid: boolean };
type Problem = Pick<AuditVerification, 'first_bad_id' | 'message'>;
type Read = { problem: Problem | null; end: Place; untimely: Untimely };
/** Entries whose time doesn't match their place: sealed long after it, or out of order. */
type Untimely = { count: number; ids: string[] };

/**
 * Verifies the hashes and links after the last verified entry, or all of them, the signed head, and that it continues what
 * this instance knows without the database. `first_bad_id` is the first entry that is edited, inserted, moved or follows a
 * removed one. Entries removed from the end are detected by the signed head, and a chain that went back by the known one.
 * @throws CONFLICT while a verification is running on any instance
 */
export async function verifyAudit(ctx: ActorContext, { full }: VerifyAudit): Promise<AuditVerification> {
  const known = (await auditAnchor()?.known()) ?? NOTHING_KNOWN;
  // One snapshot, so that entries sealed in the meantime aren't reported as errors.
  const { verdict, end } = await ctx.db.$transaction(
    async (tx) => {
      await requireOnlyVerification(tx);
      const archived = await findArchived(tx);
      const first = archived ?? START;
      const verified = full ? null : await findVerified(tx);
      const start = verified && verified.seq > first.seq ? verified : first;
      const checked = await tx.auditEntry.count({ where: { seq: { gt: start.seq } } });
      const unsealed = await tx.auditEntry.count({ where: { seq: null } });
      const sealed = Number(start.seq - first.seq) + checked;
      const { problem, end, untimely } = await read(tx, start);
      const examined = await examineHead(tx, known);
      const isTruncated = first.seq + BigInt(sealed) !== end.seq;
      const headProblem = isTruncated ? TRUNCATED : examined.problem === null ? null : withoutEntry(examined.problem);
      const found = archived ? (problem ?? headProblem) : ARCHIVE_ALTERED;
      const verdict: AuditVerification = {
        valid: found === null,
        ...{ entries: sealed + unsealed, sealed, unsealed, checked, archived: Number(first.seq) },
        first_bad_id: found?.first_bad_id ?? null,
        message: found?.message ?? intactMessage({ isWhole: start === first, untimely, known }),
        untimely_entries: untimely.count,
        untimely_ids: untimely.ids,
        known_since_entry: known.anchor ? Number(known.anchor.first.seq) : null,
      };
      return { verdict, end };
    },
    { isolationLevel: 'RepeatableRead', timeout: 600_000, maxWait: 10_000 },
  );
  if (verdict.valid) await saveVerified(ctx.db, end, ctx.clock.now());
  return verdict;
}

/** Reads the chain from a place to its end. */
async function read(tx: Tx, start: Place): Promise<Read> {
  const before = await tx.auditEntry.findUnique({ where: { seq: start.seq }, select: { createdAt: true } });
  let latestMs = before?.createdAt.getTime() ?? 0;
  let end = start;
  const untimely: Untimely = { count: 0, ids: [] };
  const judgeTime = ({ id, atMs, isUntimely }: Link) => {
    if (!isUntimely && atMs >= latestMs - UNTIMELY_MS) {
      latestMs = Math.max(latestMs, atMs);
      return;
    }
    untimely.count += 1;
    if (untimely.ids.length < MAX_UNTIMELY) untimely.ids.push(id);
  };
  for (;;) {
    const links = await tx.$queryRaw<Link[]>`
      SELECT id, seq, hash, (extract(epoch FROM created_at) * 1000)::float8 AS "atMs", sealed_at IS NOT NULL AS "isUntimely",
             ${linkFrom(end)} AS "isValid"
        FROM audit_entry entry WHERE seq > ${end.seq}
      WINDOW chain AS (ORDER BY seq) ORDER BY seq LIMIT ${BATCH}`;
    const invalid = links.find(({ isValid }) => !isValid);
    if (invalid) return { problem: { first_bad_id: invalid.id, message: alteredMessage(invalid.id) }, end, untimely };
    links.forEach(judgeTime);
    const last = links.at(-1);
    if (last?.hash) end = { seq: last.seq, hash: last.hash };
    if (links.length < BATCH) return { problem: null, end, untimely };
  }
}

async function requireOnlyVerification(tx: Tx): Promise<void> {
  if (await tryLock(tx, 'verifying')) return;
  throw new AppError('CONFLICT', 'The audit log is being verified already. Try again when that has finished.');
}

/** Where the last verification ended; null if its record or that entry was altered or is missing. */
async function findVerified(tx: Tx): Promise<Place | null> {
  const verified = await tx.auditVerified.findUnique({ where: { id: 1 } });
  if (!verified || !isSignedPlace('audit verified', verified, verified.signature)) return null;
  const entry = await tx.auditEntry.findUnique({ where: { seq: verified.seq }, select: { hash: true } });
  return entry?.hash && Buffer.from(entry.hash).equals(verified.hash) ? verified : null;
}

async function saveVerified(db: Tx, place: Place, verifiedAt: Date): Promise<void> {
  if (place.seq === 0n) return;
  await db.$executeRaw`
    INSERT INTO audit_verified AS earlier (seq, hash, signature, verified_at)
    VALUES (${place.seq}, ${place.hash}, ${signPlace('audit verified', place)}, ${verifiedAt})
        ON CONFLICT (id) DO UPDATE
       SET seq = excluded.seq, hash = excluded.hash, signature = excluded.signature, verified_at = excluded.verified_at
     WHERE earlier.seq <= excluded.seq`;
}

function withoutEntry(message: string): Problem {
  return { first_bad_id: null, message };
}

const ARCHIVE_ALTERED = withoutEntry('The record of the archived entries was altered.');

const TRUNCATED = withoutEntry(
  'Entries are missing at the end, or the chain was recomputed: its end doesn’t match the signed head.',
);

function intactMessage({ isWhole, untimely, known }: { isWhole: boolean; untimely: Untimely; known: Known }): string {
  const since = known.anchor?.first.seq ?? 0n;
  return [
    isWhole
      ? 'All sealed entries are unchanged.'
      : 'The entries sealed since the last verification are unchanged. Verify all to read the earlier ones again.',
    untimely.count > 0 &&
      `${formatPlural(untimely.count, 'entry has', 'entries have')} a time that doesn’t match their place in the log.`,
    since > 0n &&
      `This instance has known the log since entry ${formatCount(Number(since))}: only the database vouches for what was before.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function alteredMessage(id: string): string {
  return `Entry ${id}, or one just before it, was edited, removed, moved or inserted after sealing.`;
}
