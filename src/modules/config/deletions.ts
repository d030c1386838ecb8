import { MAX_COUNTED_ROWS } from '@/lib/lists';
import type { Tx } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';
import type { SettingName } from '@/server/settings/settings.mjs';
import type { Deletion } from './schema';
import type { Value } from './values';

const DAY_MS = 24 * 60 * 60 * 1000;

type Kept = {
  what: Deletion['what'];
  /** Whether 0 keeps everything. Otherwise it keeps nothing. */
  isForeverAtZero: boolean;
  /** The rows that are deleted once they are older. */
  older: (before: Date) => Prisma.Sql;
};

/** The settings that delete what is older than their days. */
const KEPT: Partial<Record<SettingName, Kept>> = {
  MESSAGE_RETENTION_DAYS: {
    what: 'messages',
    isForeverAtZero: true,
    older: (before) => Prisma.sql`SELECT FROM message WHERE created_at < ${before} AND status <> 'scheduled'`,
  },
  MESSAGE_CONTENT_DAYS: {
    what: 'contents of messages',
    isForeverAtZero: false,
    older: (before) => Prisma.sql`SELECT FROM message_content WHERE state = 'kept' AND stored_at <= ${before}`,
  },
  EVENT_RETENTION_DAYS: {
    what: 'events',
    isForeverAtZero: false,
    older: (before) => Prisma.sql`SELECT FROM event WHERE created_at < ${before}`,
  },
  REPORT_RETENTION_DAYS: {
    what: 'reports',
    isForeverAtZero: false,
    older: (before) => Prisma.sql`
      SELECT FROM dmarc_report WHERE begin_at < ${before} UNION ALL SELECT FROM tls_report WHERE begin_at < ${before}`,
  },
};

/** Returns the kind and number of rows that are deleted soon after a setting is changed to fewer days. Null if there are none. */
export async function deletionOf(
  db: Tx,
  { key, before, after, now }: { key: SettingName; before: Value | null; after: Value | null; now: Date },
): Promise<Deletion | null> {
  const kept = KEPT[key];
  if (!kept) return null;
  const [from, to] = [daysOf(before, kept), daysOf(after, kept)];
  if (to >= from) return null;
  const cutoff = new Date(now.getTime() - to * DAY_MS);
  const [row] = await db.$queryRaw<[{ count: number }]>`
    SELECT count(*)::int FROM (${kept.older(cutoff)} LIMIT ${MAX_COUNTED_ROWS}) AS old`;
  return row.count === 0 ? null : { what: kept.what, count: row.count };
}

function daysOf(value: Value | null, { isForeverAtZero }: Kept): number {
  return value === 0 && isForeverAtZero ? Number.POSITIVE_INFINITY : Number(value);
}
