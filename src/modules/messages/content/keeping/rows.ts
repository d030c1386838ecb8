import type { Database } from '@/server/db';
import type { ContentState, ContentReason as StoredReason } from '@/server/prisma/client';

/** Whether a message's content is kept. Without an object: why not. */
export type ContentRow = {
  messageId: string;
  domainId: string | null;
  state: Extract<ContentState, 'kept' | 'not_kept'>;
  reason: StoredReason | null;
  rawBytes: number;
  object: { storeId: string; name: string; bytes: number } | null;
  storedAt: Date;
};

/** Stores rows in one statement. Content that is kept later replaces what was not kept; a second copy stays an orphan. */
export async function storeContentRows(db: Database, rows: readonly ContentRow[]): Promise<void> {
  const column = <Value>(of: (row: ContentRow) => Value) => rows.map(of);
  await db.$queryRaw`/* prepared */
    INSERT INTO message_content AS known (message_id, domain_id, state, reason, raw_bytes, stored_bytes, store_id,
                                          object_name, stored_at)
    SELECT DISTINCT ON (message_id) message_id, domain_id, state::content_state, reason::content_reason, raw_bytes,
           stored_bytes, store_id, object_name, stored_at
      FROM unnest(${column(({ messageId }) => messageId)}::uuid[], ${column(({ domainId }) => domainId)}::uuid[],
                  ${column(({ state }) => state)}::text[], ${column(({ reason }) => reason)}::text[],
                  ${column(({ rawBytes }) => rawBytes)}::int[], ${column(({ object }) => object?.bytes ?? 0)}::int[],
                  ${column(({ object }) => object?.storeId ?? null)}::uuid[],
                  ${column(({ object }) => object?.name ?? null)}::text[],
                  ${column(({ storedAt }) => storedAt)}::timestamptz[])
        AS given(message_id, domain_id, state, reason, raw_bytes, stored_bytes, store_id, object_name, stored_at)
     ORDER BY message_id, object_name NULLS LAST
    ON CONFLICT (message_id) DO UPDATE SET
      state = EXCLUDED.state, reason = EXCLUDED.reason, raw_bytes = EXCLUDED.raw_bytes,
      stored_bytes = EXCLUDED.stored_bytes, store_id = EXCLUDED.store_id, object_name = EXCLUDED.object_name,
      stored_at = EXCLUDED.stored_at
      WHERE known.state = 'not_kept'`;
}
