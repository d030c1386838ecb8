import { beforeAll, describe, expect, it } from 'vitest';
import { makeDomain } from '../factories';
import { keyClient } from '../rest';
import { client, readingOf } from './plans';

const DAYS = 400;
const SOURCES_PER_DAY = 500;
/** A tenth of what its queries take if they read whole tables. */
const MAX_PAGES = 2_500;

const [busy, quiet] = [await makeDomain(), await makeDomain()];
const api = await keyClient({ role: 'admin' });

/** Reports of two years ago until today: many of one domain, a few of another. */
beforeAll(async () => {
  const days = `generate_series(0, ${DAYS - 1}) AS ago, LATERAL (SELECT (now() - ago * interval '1 day')::date AS day) AS d`;
  for (const [id, perDay] of [
    [busy.id, SOURCES_PER_DAY],
    [quiet.id, 2],
  ] as const) {
    await client.query(
      `INSERT INTO dmarc_source_day
       SELECT $1, day, '10.' || ago % 3 || '.' || n / 256 || '.' || n % 256, 10, 9, 9, 9, 0, 0, '{a.example}', '{}', day, day
         FROM ${days}, generate_series(1, ${perDay}) AS n`,
      [id],
    );
    await client.query(
      `INSERT INTO dmarc_day SELECT $1, day, 'o' || n, 1, 10, 9, 9, 9, 0, 0 FROM ${days}, generate_series(1, 20) AS n`,
      [id],
    );
    await client.query(
      `INSERT INTO dmarc_report
       SELECT gen_random_uuid(), $1, uuid_send(gen_random_uuid()), 'o', '', 'r', day, day, 10, 9, 1, false, '{}', '{}', 'mail', day
         FROM ${days}, generate_series(1, ${perDay / 2}) AS n`,
      [id],
    );
  }
  await client.query('VACUUM ANALYZE dmarc_source_day, dmarc_day, dmarc_report');
}, 120_000);

describe('the DMARC results of a domain', () => {
  it.each(['24h', '90d'])('of the last %s are read without those of others', async (period) => {
    const read = () => api.get(`/domains/${quiet.id}/dmarc?period=${period}`);
    const { scanned, pages } = await readingOf(read, ['dmarc_source_day', 'dmarc_day']);
    expect({ scanned, isBounded: pages < MAX_PAGES }).toEqual({ scanned: [], isBounded: true });
  });

  it('are read without earlier ones, although the recommendation needs a month', async () => {
    const read = () => api.get(`/domains/${busy.id}/dmarc?period=24h`);
    const { scanned } = await readingOf(read, ['dmarc_source_day', 'dmarc_day']);
    expect(scanned).toEqual([]);
  });

  it('are read without the rows of reports', async () => {
    await client.query('BEGIN; LOCK TABLE dmarc_row, dmarc_report IN ACCESS EXCLUSIVE MODE');
    try {
      const { status, data } = await api.get(`/domains/${busy.id}/dmarc?period=90d`);
      expect([status, data.totals.reports, data.sources_total]).toEqual([200, 91 * 20, 3 * SOURCES_PER_DAY]);
    } finally {
      await client.query('ROLLBACK');
    }
  });
});

it.each([
  '',
  `domain_id=${busy.id}`,
  `domain_id=${quiet.id}&order=asc`,
  'until=2020-01-01T00:00:00Z',
  'organisation=nobody',
])('a page of DMARC reports is read without the others, with "%s"', async (filter) => {
  const { scanned, pages } = await readingOf(() => api.get(`/dmarc/reports?${filter}`), ['dmarc_report']);
  expect({ scanned, isBounded: pages < MAX_PAGES }).toEqual({ scanned: [], isBounded: true });
});
