import { beforeAll, describe, expect, it } from 'vitest';
import { foldAnalytics } from '@/modules/analytics/counting/fold';
import { db } from '../database';
import { makeDomain } from '../factories';
import { keyClient } from '../rest';
import { client, readingOf } from './plans';
import { seedDomains, seedMessages } from './seed';

const ROWS = 200_000;
const TABLES = ['analytics_count', 'analytics_breakdown', 'analytics_delivery'];
/** Pages that 90 days by hours read, which begin at half past in UTC and are summed from quarters. */
const MAX_PAGES = 12_000;
/** Rows of counts and delivery times of a day, by quarter, hour and day; a hundred days have 60,000. */
const MAX_ROWS_OF_DAY = 3_000;

const [busy, ...quiet] = [await makeDomain(), await makeDomain(), await makeDomain()];
const quietIds = quiet.map(({ id }) => id);
const api = await keyClient({ role: 'admin' });
const ofQuiet = await keyClient({ role: 'domain_admin', domainIds: quietIds });

/** A message per minute, counted as if the triggers had been there. */
beforeAll(async () => {
  await seedDomains();
  await seedMessages({ count: ROWS, busyId: busy.id, quietIds });
  await client.query(`
    INSERT INTO analytics_change (delta, at, domain_id, direction, status, sender, api_key_id, recipient_domain, smtp_code,
                                  category, delivery_bin)
    SELECT delta, at, domain_id, direction, status, sender, api_key_id, recipient_domain, smtp_code, category, delivery_bin
      FROM analytics_fact WHERE recipient_domain IS NULL OR random() < 0.1`);
  await foldAnalytics(db);
  await client.query(`VACUUM ANALYZE ${TABLES.join(', ')}, analytics_change`);
}, 300_000);

const queries = [
  '',
  'period=7d',
  'period=30d&granularity=15m',
  'period=90d',
  'period=90d&timezone=America/New_York',
  'period=90d&timezone=Asia/Kathmandu',
  'period=90d&granularity=hour&timezone=Asia/Kolkata',
  'period=90d&granularity=week&dimension=domain',
  'period=90d&dimension=provider',
  'period=30d&dimension=sender',
  'period=90d&sender=from7@post.example',
];

describe('statistics are read without messages, and without those of other times and domains', () => {
  it.each(queries)('with "%s"', async (query) => {
    for (const [as, filter] of [
      [api, ''],
      [api, `&domain_id=${busy.id}`],
      [ofQuiet, ''],
    ] as const) {
      const { scanned, pages } = await readingOf(() => as.get(`/analytics?${query}${filter}`), TABLES);
      expect({ scanned, pages: pages < MAX_PAGES ? 'few' : pages }).toEqual({ scanned: [], pages: 'few' });
    }
  });

  it('a day is read without other days', async () => {
    for (const [as, filter] of [
      [api, ''],
      [api, `&domain_id=${busy.id}`],
    ] as const) {
      const { rows } = await readingOf(() => as.get(`/analytics?${filter}`), TABLES);
      expect(rows).toBeLessThan(MAX_ROWS_OF_DAY);
    }
  });

  it('while nobody can read messages', async () => {
    await client.query('BEGIN; LOCK TABLE message, message_recipient IN ACCESS EXCLUSIVE MODE');
    try {
      for (const query of queries) expect((await api.get(`/analytics?${query}`)).status).toBe(200);
    } finally {
      await client.query('ROLLBACK');
    }
  });
});
