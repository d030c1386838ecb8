import type { Database, Tx } from '@/server/db';
import { messageIdIn } from '../inbound/header';
import { advanceCursor, type Cursor } from './cursor';
import type { FilterMeta } from './filter-meta';
import { completeUndelivered } from './inbound/undelivered';
import { completeSubmitted } from './outbound/submitted';

/** `id` is the entry's id in the stream; `meta` is null if it cannot be parsed. */
export type FilterEntry = { id: string; at: Date; meta: FilterMeta | null; raw: Uint8Array | null };

/** Stores what the filter reports until the log shows the delivery. Mail that the filter rejected never gets that far. */
export function recordFilterEntries(db: Database, from: Cursor, entries: readonly FilterEntry[]): Promise<Cursor> {
  const position = entries.at(-1)?.id ?? from.position;
  return advanceCursor(db, from, { file: '', position }, entries, (tx, _, each) =>
    each(async ({ meta, raw, at }) => {
      if (meta && isRelevant(meta)) await storeEntry(tx, meta, raw, at);
    }),
  );
}

// Deferred mail returns under another queue id, and a local sender learns of a rejection in the SMTP session.
function isRelevant({ action, user }: FilterMeta): boolean {
  const isDeferred = action === 'soft reject' || action === 'greylist';
  return !isDeferred && !(user && action === 'reject');
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
  const { removedAt } = await tx.loggedMail.upsert({
    where: { queueId: meta.queue_id },
    create: { queueId: meta.queue_id, seenAt: at, ...facts },
    update: facts,
    select: { removedAt: true },
  });
  await (meta.user ? completeSubmitted(tx, meta, removedAt) : completeUndelivered(tx, meta.queue_id));
  if (meta.action === 'reject') await storeRejected(tx, meta.queue_id, meta.recipients, at);
}

/** Stores one entry for each address of mail that the filter rejected, so that it is reported as spam. */
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
