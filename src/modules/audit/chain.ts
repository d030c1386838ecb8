import type { Database } from '@/server/db';
import type { ActorContext } from '@/server/procedures/context';
import { sign, unsign } from '@/server/secrets/crypto';
import type { AuditVerification } from './schema';

const SEAL_BATCH = 500;
const VERIFY_BATCH = 5000;
const PURPOSE = 'audit head';

type Head = { seq: bigint; hash: Uint8Array; signature: string | null };
type Link = { id: string; seq: bigint; hash: Uint8Array | null; isValid: boolean };

/**
 * Adds the unsealed entries to the chain, in short transactions, and signs the new head. Entries are written unchained,
 * so that mutations don't wait for each other.
 */
export async function sealAuditEntries(db: Database): Promise<void> {
  for (let sealed = SEAL_BATCH; sealed === SEAL_BATCH; ) {
    sealed = await db.$transaction(async (tx) => {
      const [result] = await tx.$queryRaw<
        { sealed: number }[]
      >`SELECT seal_audit_entries(${SEAL_BATCH}::int) AS sealed`;
      if (!result?.sealed) return 0;
      const head = await tx.auditHead.findUniqueOrThrow({ where: { id: 1 } });
      const data = { signature: sign(PURPOSE, textOf(head)), sealedAt: new Date() };
      await tx.auditHead.update({ where: { id: 1 }, data, select: { id: true } });
      return result.sealed;
    });
  }
}

/**
 * Verifies every hash, every link and the signed head. `first_bad_id` is the first entry that is edited, inserted, moved
 * or follows a removed one. Entries removed from the end are detected by the signed head.
 */
export async function verifyAudit({ db }: ActorContext): Promise<AuditVerification> {
  // One snapshot, so that entries sealed in the meantime aren't reported as errors.
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
            ) IS TRUE AS "isValid"
            FROM audit_entry entry WHERE seq > ${last.seq}
          WINDOW chain AS (ORDER BY seq) ORDER BY seq LIMIT ${VERIFY_BATCH}`;
        const invalid = links.find(({ isValid }) => !isValid);
        if (invalid) return { valid: false, ...counts, first_bad_id: invalid.id, message: alteredMessage(invalid.id) };
        const end = links.at(-1);
        if (end?.hash) last = { seq: end.seq, hash: end.hash };
        if (links.length < VERIFY_BATCH) break;
      }
      if (BigInt(sealed) !== last.seq || !matchesSignedHead(head, last)) {
        return { valid: false, ...counts, first_bad_id: null, message: TRUNCATED };
      }
      return { valid: true, ...counts, first_bad_id: null, message: 'All sealed entries are unchanged.' };
    },
    { isolationLevel: 'RepeatableRead', timeout: 600_000, maxWait: 10_000 },
  );
}

const TRUNCATED = 'Entries are missing at the end, or the chain was recomputed: its end doesn’t match the signed head.';

function alteredMessage(id: string): string {
  return `Entry ${id}, or one just before it, was edited, removed, moved or inserted after sealing.`;
}

function matchesSignedHead(head: Head, last: { seq: bigint; hash: Uint8Array }): boolean {
  if (head.seq === 0n && head.signature === null) return last.seq === 0n;
  return unsign(PURPOSE, head.signature ?? '') === textOf(last);
}

function textOf({ seq, hash }: { seq: bigint; hash: Uint8Array }): string {
  return `${seq}:${Buffer.from(hash).toString('hex')}`;
}
