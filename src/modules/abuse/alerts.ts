import type { Tx } from '@/server/db';

export type DailyAlert = {
  kind: 'rate_limited' | 'volume_spike' | 'webhook_failing';
  subject: string;
  domainId: string | null;
  mailboxId?: string | null;
  count: number;
  expected: number;
};

/** One of a kind, subject and day (UTC), whoever else raises it at the same time. */
export async function raiseDailyAlerts(db: Tx, alerts: DailyAlert[], now: Date): Promise<void> {
  if (alerts.length === 0) return;
  const data = alerts.map((alert) => ({ ...alert, day: now, createdAt: now }));
  await db.abuseAlert.createMany({ data, skipDuplicates: true });
}
