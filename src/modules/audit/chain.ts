import { Prisma } from '@/server/prisma/client';
import { sign, unsign } from '@/server/secrets/crypto';

/** A place in the chain: the entry's position and hash. Before the first entry: position 0, empty hash. */
export type Place = { seq: bigint; hash: Uint8Array };

export const START: Place = { seq: 0n, hash: new Uint8Array() };

/**
 * The text of an entry that its hash covers after the previous hash, for a query of `audit_entry entry`. It is
 * `audit_entry_text`, written out because somebody with the database could replace that function.
 */
export const ENTRY_TEXT = Prisma.sql`(
  jsonb_build_array(
    entry.seq, entry.id, entry.admin_id, entry.admin_email, entry.api_key_id, entry.action, entry.resource, entry.domain_id,
    entry.ip_address, entry.user_agent, entry.request_id, entry.outcome::text, entry.details,
    (extract(epoch FROM entry.created_at) * 1000)::bigint
  ) || CASE
    WHEN entry.sealed_at IS NULL THEN '[]'::jsonb
    ELSE jsonb_build_array((extract(epoch FROM entry.sealed_at) * 1000)::bigint)
  END
)::text`;

/**
 * Whether an entry is intact and follows the one before it, the first one `place`. For a query of `audit_entry entry` with
 * `WINDOW chain AS (ORDER BY seq)`.
 */
export function linkFrom({ seq, hash }: Place): Prisma.Sql {
  return Prisma.sql`(
    prev_hash = coalesce(lag(hash) OVER chain, ${hash})
    AND seq = coalesce(lag(seq) OVER chain, ${seq}) + 1
    AND hash = sha256(prev_hash || convert_to(${ENTRY_TEXT}, 'UTF8'))
  ) IS TRUE`;
}

type Purpose = 'audit head' | 'audit verified' | 'audit archived';

export function signPlace(purpose: Purpose, place: Place): string {
  return sign(purpose, textOf(place));
}

export function isSignedPlace(purpose: Purpose, place: Place, signature: string | null): boolean {
  return unsign(purpose, signature ?? '') === textOf(place);
}

export function textOf({ seq, hash }: Place): string {
  return `${seq}:${hexOf(hash)}`;
}

export function hexOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}

export function isSamePlace(one: Place, other: Place): boolean {
  return textOf(one) === textOf(other);
}
