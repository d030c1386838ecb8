import type { Tx } from '@/server/db';
import { AppError } from '@/server/errors';
import type { ActorContext } from '@/server/procedures/context';
import { findArchived } from './archive';
import { isSignedPlace, linkFrom, type Place, START, signPlace } from './chain';
import type { AuditVerification, VerifyAudit } from './schema';

const BATCH = 5000;
const VERIFY_LOCK = 7_203_004;

type Link = { id: string; seq: bigint; hash: Uint8Array | null; isValid: boolean };
type Verified = { verdict: AuditVerification; end: Place };

/**
 * Verifies the hashes and links after the last verified entry, or all of them, and the signed head. `first_bad_id` is the
 * first entry that is edited, inserted, moved or follows a removed one. Entries removed from the end are detected by the
 * signed head.
 * @throws CONFLICT while a verification is running on any instance
 */
export async function verifyAudit(ctx: ActorContext, { full }: VerifyAudit): Promise<AuditVerification> {
  // One snapshot, so that entries sealed in the meantime aren't reported as errors.
  const { verdict, end } = await ctx.db.$transaction(
    async (tx) => {
      await requireOnlyVerification(tx);
      const archived = await findArchived(tx);
      return verify(tx, archived, full ? null : await findVerified(tx));
    },
    { isolationLevel: 'RepeatableRead', timeout: 600_000, maxWait: 10_000 },
  );
  if (verdict.valid) await saveVerified(ctx.db, end, ctx.clock.now());
  return verdict;
}

async function verify(tx: Tx, archived: Place | null, verified: Place | null): Promise<Verified> {
  const head = await tx.auditHead.findUniqueOrThrow({ where: { id: 1 } });
  const unsealed = await tx.auditEntry.count({ where: { seq: null } });
  const first = archived ?? START;
  const start = verified && verified.seq > first.seq ? verified : first;
  const checked = await tx.auditEntry.count({ where: { seq: { gt: start.seq } } });
  const sealed = Number(start.seq - first.seq) + checked;
  const counts = { entries: sealed + unsealed, sealed, unsealed, checked, archived: Number(first.seq) };
  let end = start;
  if (!archived) return { verdict: { valid: false, ...counts, first_bad_id: null, message: ARCHIVE_ALTERED }, end };
  for (;;) {
    const links = await tx.$queryRaw<Link[]>`
      SELECT id, seq, hash, ${linkFrom(end)} AS "isValid"
        FROM audit_entry entry WHERE seq > ${end.seq}
      WINDOW chain AS (ORDER BY seq) ORDER BY seq LIMIT ${BATCH}`;
    const invalid = links.find(({ isValid }) => !isValid);
    if (invalid) {
      return {
        verdict: { valid: false, ...counts, first_bad_id: invalid.id, message: alteredMessage(invalid.id) },
        end,
      };
    }
    const last = links.at(-1);
    if (last?.hash) end = { seq: last.seq, hash: last.hash };
    if (links.length < BATCH) break;
  }
  const isUnused = head.seq === 0n && head.signature === null && end.seq === 0n;
  if (first.seq + BigInt(sealed) !== end.seq || !(isUnused || isSignedPlace('audit head', end, head.signature))) {
    return { verdict: { valid: false, ...counts, first_bad_id: null, message: TRUNCATED }, end };
  }
  const message =
    start === first
      ? 'All sealed entries are unchanged.'
      : 'The entries sealed since the last verification are unchanged. Verify all to read the earlier ones again.';
  return { verdict: { valid: true, ...counts, first_bad_id: null, message }, end };
}

async function requireOnlyVerification(tx: Tx): Promise<void> {
  const [lock] = await tx.$queryRaw<{ isFree: boolean }[]>`
    SELECT pg_try_advisory_xact_lock(${VERIFY_LOCK}::bigint) AS "isFree"`;
  if (lock?.isFree) return;
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

const ARCHIVE_ALTERED = 'The record of the archived entries was altered.';

const TRUNCATED = 'Entries are missing at the end, or the chain was recomputed: its end doesn’t match the signed head.';

function alteredMessage(id: string): string {
  return `Entry ${id}, or one just before it, was edited, removed, moved or inserted after sealing.`;
}
