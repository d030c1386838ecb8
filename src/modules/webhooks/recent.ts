import type { Tx } from '@/server/database/db';

/** The deliveries of each webhook that count, so that no webhook takes longer than others. */
const MAX_COUNTED = 100;

export type Recent = { id: string; finished: number; delivered: number; lastDeliveredAt: Date | null };

/** How the last deliveries of these webhooks ended, and when each delivered last. */
export async function recentDeliveries(db: Tx, webhookIds: readonly string[]): Promise<Map<string, Recent>> {
  const rows = await db.$queryRaw<Recent[]>`
    SELECT w.id, last.finished, last.delivered, delivered.finished_at AS "lastDeliveredAt"
      FROM unnest(${[...webhookIds]}::uuid[]) AS w(id)
     CROSS JOIN LATERAL (
       SELECT count(*) FILTER (WHERE status IN ('delivered', 'abandoned'))::int AS finished,
              count(*) FILTER (WHERE status = 'delivered')::int AS delivered
         FROM (SELECT status FROM webhook_delivery WHERE webhook_id = w.id
                ORDER BY created_at DESC, id DESC LIMIT ${MAX_COUNTED}) d
     ) last
      LEFT JOIN LATERAL (
       SELECT finished_at FROM webhook_delivery WHERE webhook_id = w.id AND status = 'delivered'
        ORDER BY created_at DESC, id DESC LIMIT 1
     ) delivered ON true`;
  return new Map(rows.map((row) => [row.id, row]));
}
