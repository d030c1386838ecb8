import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { writeDurably } from '@/server/durable-file';
import { sign, unsign } from '@/server/secrets/crypto';
import { hexOf, type Place } from '../chain';

/** The end of the audit log as one instance knows it, without the database. */
export type Anchor = Place & {
  /** When the instance last saw this end in the database. */
  at: Date;
  /** When it last saw that every entry was sealed. */
  clearAt: Date | null;
  /** Where the log ended when the instance began to keep its end. */
  first: { seq: bigint; at: Date };
  /** The time of the accepted end that it follows, see accept.ts. */
  acceptedAt: Date | null;
};

/** The content of a file: an anchor, nothing because there is no file, or something that this instance didn't sign. */
export type StoredAnchor = { anchor: Anchor } | { anchor: null; alteredAt: Date | null };

const PURPOSE = 'audit anchor';

const time = z.iso.datetime().transform((text) => new Date(text));
const seq = z.string().transform(BigInt);

const Stored = z
  .object({
    seq,
    hash: z.hex().transform((text) => new Uint8Array(Buffer.from(text, 'hex'))),
    at: time,
    clear_at: time.nullable(),
    first_seq: seq,
    first_at: time,
    accepted_at: time.nullable(),
  })
  .transform((stored): Anchor => {
    const { seq, hash, at, clear_at: clearAt, accepted_at: acceptedAt } = stored;
    return { seq, hash, at, clearAt, first: { seq: stored.first_seq, at: stored.first_at }, acceptedAt };
  });

/** @throws if the file can't be read */
export async function readAnchor(file: string): Promise<StoredAnchor> {
  const signed = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (signed === null) return { anchor: null, alteredAt: null };
  const text = unsign(PURPOSE, signed.trim());
  return text === null
    ? { anchor: null, alteredAt: (await stat(file)).mtime }
    : { anchor: Stored.parse(JSON.parse(text)) };
}

/** Writes one line: the anchor as JSON, a dot and its signature. */
export async function writeAnchor(file: string, anchor: Anchor): Promise<void> {
  const { seq, hash, at, clearAt, first, acceptedAt } = anchor;
  const text = JSON.stringify({
    seq: String(seq),
    hash: hexOf(hash),
    at,
    clear_at: clearAt,
    first_seq: String(first.seq),
    first_at: first.at,
    accepted_at: acceptedAt,
  });
  await writeDurably(file, `${sign(PURPOSE, text)}\n`);
}
