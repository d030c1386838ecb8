import type { Database } from '@/server/db';
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
  for (let sealed = SEAL_BATCH; sealed === SEAL_BATCH; ) {
    sealed = await db.$transaction(async (tx) => {
      const [result] = await tx.$queryRaw<
        { sealed: number }[]
      >`SELECT seal_audit_entries(${SEAL_BATCH}::int) AS sealed`;
      if (!result?.sealed) return 0;
      const head = await tx.auditHead.findUniqueOrThrow({ where: { id: 1 } });
      const data = { signature: signPlace('audit head', head), sealedAt: new Date() };
      await tx.auditHead.update({ where: { id: 1 }, data, select: { id: true } });
      return result.sealed;
    });
  }
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
