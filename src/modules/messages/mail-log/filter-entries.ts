import type { Database, Tx } from '@/server/database/db';
import { jsonParameter } from '@/server/database/json-parameter';
import { messageIdIn } from '../inbound/header';
import { advanceCursor, type Cursor } from './cursor';
import type { FilterMeta } from './filter-meta';
import { completeUndelivered } from './inbound/undelivered';
import { storeDeliveries } from './logged-mail';
import { completeSubmitted } from './outbound/submitted';

/** `id` is the entry's id in the stream; `meta` is null if it cannot be parsed. */
export type FilterEntry = { id: string; at: Date; meta: FilterMeta | null; raw: Uint8Array | null };

/** Stores what the filter reports until the log shows the delivery. Mail that the filter rejected never gets that far. */
export function recordFilterEntries(db: Database, from: Cursor, entries: readonly FilterEntry[]): Promise<Cursor> {
  const position = entries.at(-1)?.id ?? from.position;
  return advanceCursor(db, from, { file: '', position }, entries, (tx, _, together) =>
    together((each) => storeEntries(tx, each)),
  );
}

// Deferred mail returns under another queue id, and a local sender learns of a rejection in the SMTP session.
function isRelevant({ action, user }: FilterMeta): boolean {
  const isDeferred = action === 'soft reject' || action === 'greylist';
  return !isDeferred && !(user && action === 'reject');
}

async function storeEntries(tx: Tx, entries: readonly FilterEntry[]): Promise<void> {
  const relevant = entries.flatMap(({ meta, raw, at }) => (meta && isRelevant(meta) ? [{ meta, raw, at }] : []));
  const byId = new Map(relevant.map((entry) => [entry.meta.queue_id, entry]));
  // In one order, so that two writers cannot deadlock.
  const latest = [...byId.values()].toSorted((one, other) => (one.meta.queue_id < other.meta.queue_id ? -1 : 1));
  if (latest.length === 0) return;
  const removed = await storeFacts(tx, latest);
  const fromOutside = relevant.filter(({ meta }) => !meta.user);
  await completeUndelivered(
    tx,
    fromOutside.map(({ meta }) => meta.queue_id),
  );
  for (const { meta, at } of relevant) {
    if (meta.user) await completeSubmitted(tx, meta, removed.get(meta.queue_id) ?? null);
    if (meta.action === 'reject') await storeRejected(tx, meta.queue_id, meta.recipients, at);
  }
}

type RelevantEntry = FilterEntry & { meta: FilterMeta };

/** @returns when the mail left the queue, by queue id, if the log has shown that already */
async function storeFacts(tx: Tx, entries: Omit<RelevantEntry, 'id'>[]): Promise<Map<string, Date>> {
  const metas = entries.map(({ meta }) => meta);
  const bytes = entries.map(({ meta, raw }) => (raw && !meta.user ? Buffer.from(raw).toString('base64') : null));
  const rows = await tx.$queryRaw<{ queueId: string; removedAt: Date | null }[]>`/* prepared */
    INSERT INTO logged_mail (queue_id, seen_at, message_id, client_address, verdict, raw, login)
    SELECT queue_id, seen_at, message_id, client_address, verdict::jsonb, decode(bytes, 'base64'), login
      FROM unnest(${metas.map(({ queue_id: id }) => id)}::text[], ${entries.map(({ at }) => at)}::timestamptz[],
                  ${metas.map((meta) => messageIdIn(bracketed(meta.message_id)))}::text[],
                  ${metas.map(({ ip }) => ip || null)}::text[], ${metas.map(jsonParameter)}::text[], ${bytes}::text[],
                  ${metas.map(({ user }) => user ?? null)}::text[])
        AS given(queue_id, seen_at, message_id, client_address, verdict, bytes, login)
    ON CONFLICT (queue_id) DO UPDATE
       SET message_id = EXCLUDED.message_id, client_address = EXCLUDED.client_address, verdict = EXCLUDED.verdict,
           raw = EXCLUDED.raw, login = coalesce(EXCLUDED.login, logged_mail.login)
    RETURNING queue_id AS "queueId", removed_at AS "removedAt"`;
  return new Map(rows.flatMap(({ queueId, removedAt }) => (removedAt ? [[queueId, removedAt]] : [])));
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
  await storeDeliveries(tx, data);
  await tx.loggedMail.update({ where: { queueId }, data: { removedAt: at }, select: { queueId: true } });
}

function bracketed(messageId: string): string {
  return messageId.startsWith('<') ? messageId : `<${messageId}>`;
}
