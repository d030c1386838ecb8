import type { ActorContext } from '@/server/context';
import type { Database } from '@/server/db';
import { sign, unsign } from '@/server/secrets/crypto';
import type { AuditVerification } from './schema';

const SEAL_AT_ONCE = 500;
const VERIFY_AT_ONCE = 5000;
const PURPOSE = 'audit head';

type Head = { seq: bigint; hash: Uint8Array; signature: string | null };
type Link = { id: string; seq: bigint; hash: Uint8Array | null; isGood: boolean };

/**
 * Chains what was written since, in short transactions, and signs the new end. Entries are written unchained, so that
 * the chain makes no mutation wait for another.
 */
export async function sealAuditEntries(db: Database): Promise<void> {
  for (let sealed = SEAL_AT_ONCE; sealed === SEAL_AT_ONCE; ) {
    sealed = await db.$transaction(async (tx) => {
      const [result] = await tx.$queryRaw<
        { sealed: number }[]
      >`SELECT seal_audit_entries(${SEAL_AT_ONCE}::int) AS sealed`;
      if (!result?.sealed) return 0;
      const head = await tx.auditHead.findUniqueOrThrow({ where: { id: 1 } });
      const data = { signature: sign(PURPOSE, textOf(head)), sealedAt: new Date() };
      await tx.auditHead.update({ where: { id: 1 }, data, select: { id: true } });
      return result.sealed;
    });
  }
}

/**
 * Reads the whole chain again: each hash, each link and the signed end. An edited, removed, inserted or moved entry is the first bad one; entries gone from the end do not fit its signature.
 */
export async function verifyAudit({ database: db }: ActorContext): Promise<AuditVerification> {
  // One snapshot, so that what is sealed meanwhile is no fault.
  return db.$transaction(
    async (tx) => {
      const head = await tx.auditHead.findUniqueOrThrow({ where: { id: 1 } });
      const unsealed = await tx.auditEntry.count({ where: { seq: null } });
      const sealed = await tx.auditEntry.count({ where: { seq: { not: null } } });
      const counts = { entries: sealed + unsealed, sealed, unsealed };
      let last: { seq: bigint; hash: Uint8Array } = { seq: 0n, hash: new Uint8Array() };
      for (;;) {
        const links = await tx.$queryRaw<Link[]>`
          SELECT id, seq, hash, (
              prev_hash = coalesce(lag(hash) OVER chain, ${last.hash})
              AND seq = coalesce(lag(seq) OVER chain, ${last.seq}) + 1
              AND hash = audit_entry_hash(entry, seq, prev_hash)
            ) IS TRUE AS "isGood"
            FROM audit_entry entry WHERE seq > ${last.seq}
          WINDOW chain AS (ORDER BY seq) ORDER BY seq LIMIT ${VERIFY_AT_ONCE}`;
        const bad = links.find(({ isGood }) => !isGood);
        if (bad) return { valid: false, ...counts, first_bad_id: bad.id, message: ALTERED };
        const end = links.at(-1);
        if (end?.hash) last = { seq: end.seq, hash: end.hash };
        if (links.length < VERIFY_AT_ONCE) break;
      }
      if (BigInt(sealed) !== last.seq || !isSignedEnd(head, last)) {
        return { valid: false, ...counts, first_bad_id: null, message: CUT_OFF };
      }
      return { valid: true, ...counts, first_bad_id: null, message: 'Every sealed entry is as it was written.' };
    },
    { isolationLevel: 'RepeatableRead', timeout: 600_000, maxWait: 10_000 },
  );
}

const ALTERED = 'This entry, or one just before it, was edited, removed, moved or inserted after it was sealed.';
const CUT_OFF = 'Entries are missing at the end, or the chain was computed anew: its end does not fit the signed one.';

function isSignedEnd(head: Head, last: { seq: bigint; hash: Uint8Array }): boolean {
  if (head.seq === 0n && head.signature === null) return last.seq === 0n;
  return unsign(PURPOSE, head.signature ?? '') === textOf(last);
}

function textOf({ seq, hash }: { seq: bigint; hash: Uint8Array }): string {
  return `${seq}:${Buffer.from(hash).toString('hex')}`;
}
