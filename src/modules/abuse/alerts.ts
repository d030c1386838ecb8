import type { Tx } from '@/server/db';

export type DailyAlert = {
  kind: 'rate_limited' | 'volume_spike' | 'webhook_failing';
  subject: string;
  domainId: string | null;
  mailboxId?: string | null;
  count: number;
  expected: number;
};

/** Raises at most one alert per kind, subject and day (UTC), also with concurrent calls. */
export async function raiseDailyAlerts(db: Tx, alerts: DailyAlert[], now: Date): Promise<void> {
  if (alerts.length === 0) return;
  const data = alerts.map((alert) => ({ ...alert, day: now, createdAt: now }));
  await db.abuseAlert.createMany({ data, skipDuplicates: true });
}
