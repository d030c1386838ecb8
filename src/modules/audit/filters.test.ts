import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';

const ROWS = 60_000;
const READ_AT_MOST = 1_000;
const domain = await makeDomain();
const api = await keyClient();
const assigned = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });

/** A UUID for a number. */
const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

beforeAll(async () => {
  // Without the trigger and the index, which take most of the time.
  await db.$executeRaw`ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_search_key`;
  await db.$executeRaw`DROP INDEX audit_entry_search_key_idx`;
  // The rarest values are the oldest entries, which a scan from the newest would find last.
  await db.$executeRaw`
    INSERT INTO audit_entry (id, admin_id, admin_email, api_key_id, action, resource, domain_id, ip_address, user_agent,
                             request_id, outcome, details, created_at, search_key)
    SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
           ('00000000-0000-7000-8000-' || lpad((n % 50)::text, 12, '0'))::uuid,
           CASE WHEN n <= 20 THEN 'rare@post.example' ELSE 'a' || n % 50 || '@post.example' END,
           CASE WHEN n <= 20 THEN ${idOf(7)}::uuid WHEN n % 4 = 0 THEN ${idOf(8)}::uuid END,
           CASE WHEN n <= 20 THEN 'rare.action' ELSE 'domain.update' END, 'domain:' || n, ${domain.id}::uuid,
           CASE WHEN n <= 20 THEN '192.0.2.7' ELSE '198.51.100.' || n % 200 END, 'test',
           ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid,
           (CASE WHEN n <= 20 THEN 'error' WHEN n % 20 = 0 THEN 'denied' ELSE 'success' END)::audit_outcome, '{}',
           now() - (${ROWS} - n) * interval '1 second',
           CASE WHEN n <= 20 THEN E' rare@post.example\\n rare.action\\n rarely.example'
                ELSE ' a' || n % 50 || E'@post.example\\n domain.update\\n d' || n || '.example' END
      FROM generate_series(1, ${ROWS}::int) AS n`;
  await db.$executeRaw`CREATE INDEX audit_entry_search_key_idx ON audit_entry USING GIN (search_key gin_trgm_ops)`;
  await db.$executeRaw`ALTER TABLE audit_entry ENABLE TRIGGER audit_entry_search_key`;
  await db.$executeRaw`VACUUM ANALYZE audit_entry`;
}, 120_000);

type Plan = {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
};

/** The rows that the list's queries read, whether or not it returns them. */
async function rowsRead(filter: string, client = api): Promise<number> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  const response = await client.get(`/audit?${filter}`);
  const calls = spy.mock.calls.map(([call]) => call as unknown as { text?: string; values?: unknown[] });
  spy.mockRestore();
  expect(response.status).toBe(200);
  const reads = calls.filter(({ text }) => /FROM audit_entry/.test(text ?? ''));
  let rows = 0;
  for (const { text, values } of reads) rows += await explainRead(text ?? '', values ?? []);
  return rows;
}

async function explainRead(text: string, values: unknown[]): Promise<number> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  try {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    return rowsOf(rows[0]['QUERY PLAN'][0].Plan);
  } finally {
    await client.end();
  }
}

function rowsOf(plan: Plan): number {
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = (plan['Actual Rows'] + removed) * plan['Actual Loops'];
  return Math.max(own, ...(plan.Plans ?? []).map(rowsOf));
}

it('detects a query that reads the whole table', async () => {
  expect(await explainRead('SELECT * FROM audit_entry WHERE user_agent = $1', ['none'])).toBeGreaterThanOrEqual(ROWS);
});

describe('a filter of a large audit log reads only about a page of entries', () => {
  const filters = [
    '',
    'order=asc',
    'outcome=error',
    'outcome=denied',
    'outcome=success',
    'outcome=error&order=asc',
    'admin_email=rare@post.example',
    'admin_email=a7@post.example',
    'admin_email=nobody@post.example',
    'ip_address=192.0.2.7',
    'ip_address=198.51.100.7',
    'ip_address=203.0.113.1',
    `request_id=${idOf(3)}`,
    `request_id=${idOf(ROWS + 1)}`,
    `api_key_id=${idOf(7)}`,
    `api_key_id=${idOf(8)}`,
    `api_key_id=${idOf(9)}`,
    `admin_id=${idOf(7)}`,
    'action=rare.action',
    'kind=domain',
    'kind=alias',
    'kind=domain&order=asc',
    'resource=domain:7',
    'until=2020-01-01T00:00:00Z',
    'outcome=error&admin_email=rare@post.example&ip_address=192.0.2.7',
    `q=${idOf(3)}`,
    'q=00000000-0000-7000-8000-00000000000',
    'q=domain:7',
    'resource=domain:7&changes_only=true',
  ];

  it.each(filters)('with "%s"', async (filter) => {
    expect(await rowsRead(filter)).toBeLessThan(READ_AT_MOST);
    expect(await rowsRead(`${filter}&limit=200`, assigned)).toBeLessThan(READ_AT_MOST);
  });
});

it.each([
  ['action=rare.action', 20],
  ['outcome=error', 20],
  // No index has both.
  ['action=rare.action&outcome=error', null],
])('the total with "%s" is %s', async (filter, total) => {
  expect((await api.get(`/audit?${filter}&total=true`)).meta.pagination).toMatchObject({ total });
});

it('the changes of a log in which there are none for long are read in bounded parts', async () => {
  const refused = 'outcome=denied&changes_only=true';
  expect(await rowsRead(refused)).toBeLessThanOrEqual(2 * READ_AT_MOST);
  const { data, meta } = await api.get(`/audit?${refused}`);
  expect(data).toEqual([]);
  expect(meta.pagination?.has_more).toBe(true);
});

describe('a search of a large audit log reads a bounded part of it', () => {
  // The newest 2,500 entries with what they are sorted by, and the matches of rare parts.
  const searches = [
    'rarely',
    'rare@post',
    'd77.example',
    'domain.update',
    '@post.ex',
    'nobody@',
    'update.domain',
    'zq',
    'd',
    'domain:none',
  ];

  it.each(searches)('for "%s"', async (text) => {
    for (const client of [api, assigned]) {
      expect(await rowsRead(`q=${encodeURIComponent(text)}`, client)).toBeLessThan(10_000);
    }
  });
});
