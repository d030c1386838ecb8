import type { Database, Tx } from '@/server/db';
import { messageIdIn } from '../inbound/header';
import { type Cursor, advanceCursor } from './cursor';
import type { FilterMeta } from './filter-meta';
import { completeUndelivered } from './inbound/undelivered';

/** `id` is the entry's place in the stream; `meta` is null where it cannot be read. */
export type FilterEntry = { id: string; at: Date; meta: FilterMeta | null; raw: Uint8Array | null };

/** Keeps what the filter told until the log tells the rest. What it refused gets no further, and is told from here. */
export function recordFilterEntries(db: Database, from: Cursor, entries: readonly FilterEntry[]): Promise<Cursor> {
  const position = entries.at(-1)?.id ?? from.position;
  return advanceCursor(db, from, { file: '', position }, entries, (tx, _, each) =>
    each(async ({ meta, raw, at }) => {
      if (meta && isRelevant(meta)) await storeEntry(tx, meta, raw, at);
    }),
  );
}

// What is put off comes again under another queue id; what a sender of ours is refused, that sender is told.
function isRelevant({ action, user }: FilterMeta): boolean {
  const isPutOff = action === 'soft reject' || action === 'greylist';
  return !isPutOff && !(user && action === 'reject');
}

async function storeEntry(tx: Tx, meta: FilterMeta, raw: Uint8Array | null, at: Date): Promise<void> {
  const bytes = raw && !meta.user ? new Uint8Array(raw) : null;
  const facts = {
    messageId: messageIdIn(bracketed(meta.message_id)),
    clientAddress: meta.ip || null,
    verdict: meta,
    raw: bytes,
    login: meta.user,
  };
  await tx.loggedMail.upsert({
    where: { queueId: meta.queue_id },
    create: { queueId: meta.queue_id, seenAt: at, ...facts },
    update: facts,
    select: { queueId: true },
  });
  await completeUndelivered(tx, meta.queue_id);
  if (meta.action === 'reject') await storeRejected(tx, meta.queue_id, meta.recipients, at);
}

/** Mail that the filter refused reached nobody, and each of its addresses is told of. */
export async function storeRejected(tx: Tx, queueId: string, recipients: string[], at: Date): Promise<void> {
  const addresses = new Set(recipients.map((recipient) => recipient.toLowerCase()));
  const data = [...addresses].map((address) => ({
    queueId,
    recipient: address,
    addressedTo: address,
    isForwarded: false,
    at,
  }));
  await tx.inboundDelivery.createMany({ data, skipDuplicates: true });
  await tx.loggedMail.update({ where: { queueId }, data: { removedAt: at }, select: { queueId: true } });
}

function bracketed(messageId: string): string {
  return messageId.startsWith('<') ? messageId : `<${messageId}>`;
}
