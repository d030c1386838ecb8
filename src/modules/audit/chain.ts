import { inBatches } from '@/server/background/in-batches';
import type { Database } from '@/server/db';
import { Prisma } from '@/server/prisma/client';
import { sign, unsign } from '@/server/secrets/crypto';

const SEAL_BATCH = 500;

/** A place in the chain: the entry's position and hash. Before the first entry: position 0, empty hash. */
export type Place = { seq: bigint; hash: Uint8Array };

export const START: Place = { seq: 0n, hash: new Uint8Array() };

/**
 * Adds the unsealed entries to the chain, in short transactions, and signs the new head. Entries are written unchained,
 * so that mutations don't wait for each other.
 */
export async function sealAuditEntries(db: Database): Promise<void> {
  const sealSome = (size: number) =>
    db.$transaction(async (tx) => {
      const [result] = await tx.$queryRaw<{ sealed: number }[]>`SELECT seal_audit_entries(${size}::int) AS sealed`;
      if (!result?.sealed) return 0;
      const head = await tx.auditHead.findUniqueOrThrow({ where: { id: 1 } });
      const data = { signature: signPlace('audit head', head), sealedAt: new Date() };
      await tx.auditHead.update({ where: { id: 1 }, data, select: { id: true } });
      return result.sealed;
    });
  await inBatches(sealSome, SEAL_BATCH);
}

/**
 * Whether an entry is intact and follows the one before it, the first one `place`. For a query of `audit_entry entry` with
 * `WINDOW chain AS (ORDER BY seq)`.
 */
export function linkFrom({ seq, hash }: Place): Prisma.Sql {
  return Prisma.sql`(
    prev_hash = coalesce(lag(hash) OVER chain, ${hash})
    AND seq = coalesce(lag(seq) OVER chain, ${seq}) + 1
    AND hash = audit_entry_hash(entry, seq, prev_hash)
  ) IS TRUE`;
}

type Purpose = 'audit head' | 'audit verified' | 'audit archived';

export function signPlace(purpose: Purpose, place: Place): string {
  return sign(purpose, textOf(place));
}

export function isSignedPlace(purpose: Purpose, place: Place, signature: string | null): boolean {
  return unsign(purpose, signature ?? '') === textOf(place);
}

function textOf({ seq, hash }: Place): string {
  return `${seq}:${Buffer.from(hash).toString('hex')}`;
}
