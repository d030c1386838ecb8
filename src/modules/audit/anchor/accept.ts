import type { Tx } from '@/server/database/db';
import { sign, unsign } from '@/server/secrets/crypto';
import { type Place, textOf } from '../chain';
import type { Query } from '../sign-again';

/**
 * The end of the log that a restore, or `npm run admin -- accept-audit-log`, put in the place of a longer or another one.
 * Instances follow it if they saw theirs before it, and never a second time.
 */
export type Accepted = Place & { at: Date };

const PURPOSE = 'audit accepted';

/** Tolerated clock difference between who accepts an end and the instances that saw one before. */
const CLOCK_DIFFERENCE_MS = 60_000;

type Row = Place & { signature: string; acceptedAt: Date };

export function signAccepted(accepted: Accepted): string {
  return sign(PURPOSE, signedText(accepted));
}

/** Accepts the end that the log has. */
export async function acceptHead(query: Query, at: Date): Promise<void> {
  const [head] = await query<Place>('SELECT seq, hash FROM audit_head', []);
  if (!head) return;
  const accepted = { seq: BigInt(head.seq), hash: head.hash, at };
  await query(
    `INSERT INTO audit_accepted (id, seq, hash, signature, accepted_at) VALUES (1, $1, $2, $3, $4)
     ON CONFLICT (id) DO UPDATE
       SET seq = excluded.seq, hash = excluded.hash, signature = excluded.signature, accepted_at = excluded.accepted_at`,
    [String(accepted.seq), accepted.hash, signAccepted(accepted), at],
  );
}

/** Returns the accepted end, or null if there is none, or if it was written without SECRET_KEY. */
export async function findAccepted(tx: Tx): Promise<Accepted | null> {
  const row: Row | null = await tx.auditAccepted.findUnique({ where: { id: 1 } });
  if (!row) return null;
  const accepted = { seq: row.seq, hash: row.hash, at: row.acceptedAt };
  return unsign(PURPOSE, row.signature) === signedText(accepted) ? accepted : null;
}

/** @param seen when an instance last saw its end, and the time of the accepted one that it follows already */
export function isNewer(accepted: Accepted, seen: { at: Date; acceptedAt: Date | null }): boolean {
  if (seen.acceptedAt && accepted.at <= seen.acceptedAt) return false;
  return accepted.at.getTime() + CLOCK_DIFFERENCE_MS >= seen.at.getTime();
}

function signedText({ at, ...place }: Accepted): string {
  return `${textOf(place)}:${at.toISOString()}`;
}
