import type { Database, Tx } from '@/server/database/db';
import { runContentJobAside } from './jobs/pool';
import { type ContentReason, REASON_MESSAGES } from './schema';

const PART_BYTES = 512 * 1024;

/** The sealed text of a message that is sent later. It is in the database, so that it doesn't depend on the content store. */
export type Waiting = { sealed: Uint8Array; rawBytes: number };

/** Which message leaves, under which Message-ID, and when. */
export type Opened = { id: string; messageId: string; date: Date };

/** Compresses and encrypts a message, as content is kept. */
export async function sealWaiting(messageId: string, raw: Uint8Array): Promise<Waiting> {
  const rawBytes = raw.byteLength;
  const sealed = await runContentJobAside({ kind: 'seal', messageId, raw });
  if (sealed.kind !== 'bytes') throw new TypeError(`unexpected result ${sealed.kind}`);
  return { sealed: sealed.bytes, rawBytes };
}

/** Stores the parts of a sealed message, in the transaction that stores the message. */
export async function storeWaiting(tx: Tx, messageId: string, { sealed }: Waiting): Promise<void> {
  for (let position = 0; position * PART_BYTES < sealed.byteLength; position++) {
    const bytes = new Uint8Array(sealed.subarray(position * PART_BYTES, (position + 1) * PART_BYTES));
    await tx.scheduledPart.create({ data: { messageId, position, bytes }, select: { position: true } });
  }
}

export async function readWaiting(db: Tx, messageId: string): Promise<Waiting | null> {
  const row = await db.scheduledMessage.findUnique({
    where: { messageId },
    select: { rawBytes: true, parts: { orderBy: { position: 'asc' }, select: { bytes: true } } },
  });
  return row && { rawBytes: row.rawBytes, sealed: Buffer.concat(row.parts.map(({ bytes }) => bytes)) };
}

/**
 * The text of a scheduled message that leaves now, with its date. @returns the reason in a sentence if it can't be read, and whether it
 * can once its key is back in SECRET_KEY
 */
export async function openWaiting(
  db: Database,
  { id, messageId, date }: Opened,
): Promise<{ raw: Uint8Array } | { problem: string; isKeyMissing: boolean }> {
  const waiting = await readWaiting(db, id);
  if (!waiting) return unreadable('lost');
  const opened = await runContentJobAside({ kind: 'copy', messageId: id, newMessageId: messageId, date, ...waiting });
  if (opened.kind === 'unreadable') return unreadable(opened.reason);
  if (opened.kind !== 'bytes') throw new TypeError(`unexpected result ${opened.kind}`);
  return { raw: opened.bytes };
}

function unreadable(reason: ContentReason) {
  return { problem: REASON_MESSAGES[reason], isKeyMissing: reason === 'wrong_key' };
}
