import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';

const ROWS = 50_000;
const domain = await makeDomain();
const api = await keyClient({ role: 'admin' });
const assigned = await keyClient({ role: 'domain_admin', domainIds: [domain.id, (await makeDomain()).id] });

beforeAll(async () => {
  // Recipients of a single message, of 1 in 2000, 1 in 200 and 1 in 20 messages, and of all messages.
  await db.$executeRaw`
    INSERT INTO message (id, message_id, queue_id, domain_id, direction, from_address, to_addresses, subject, size_bytes,
                         status, created_at, updated_at)
    SELECT gen_random_uuid(), '<' || n || '@post.example>', 'Q' || n, ${domain.id}::uuid, 'outbound',
           'from' || n % 2000 || '@post.example', ARRAY['to' || n || '@far.example'],
           'Your order ' || md5(n::text) || ' of part ' || n % 500, 1000, 'delivered',
           now() - n * interval '1 minute', now()
      FROM generate_series(1, ${ROWS}::int) AS n`;
  await db.$executeRaw`
    INSERT INTO message_recipient (id, message_id, address, kind, status)
    SELECT gen_random_uuid(), m.id, a.address, 'to', 'delivered'
      FROM message m, LATERAL (SELECT substr(queue_id, 2)::int AS n) k,
           LATERAL unnest(ARRAY['every@far.example', 'to' || n || '@far.example', 'some' || n % 200 || '@far.example',
                                'many' || n % 20 || '@far.example', 'few' || n % 2000 || '@far.example']) AS a(address)`;
  await db.$executeRaw`VACUUM ANALYZE message, message_recipient`;
}, 120_000);

/** The tables on which the queries of a call run a sequential scan. */
async function tablesScanned(query: string, client = api): Promise<string[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  const response = await client.get(`/messages?${query}`);
  const calls = spy.mock.calls.map(([call]) => call as unknown as { text?: string; values?: unknown[] });
  spy.mockRestore();
  expect(response.status).toBe(200);
  const reads = calls.filter(({ text }) => /FROM "public"."message"/.test(text ?? ''));
  expect(reads.length).toBeGreaterThan(0);
  const plans = await Promise.all(reads.map(({ text, values }) => explain(text as string, values ?? [])));
  return plans.flatMap(scansOf);
}

type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] };

async function explain(text: string, values: unknown[]): Promise<Plan> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  try {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values);
    return rows[0]['QUERY PLAN'][0].Plan;
  } finally {
    await client.end();
  }
}

function scansOf(plan: Plan): string[] {
  const own = plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scansOf)];
}

it('detects a sequential scan', async () => {
  expect(scansOf(await explain('SELECT * FROM message WHERE size_bytes = $1', [7]))).toEqual(['message']);
});

describe('a search among many messages does not scan the whole table', () => {
  const filters = [
    '',
    'order=asc',
    `domain_id=${domain.id}`,
    'direction=outbound',
    'direction=inbound',
    'status=delivered',
    'status=bounced',
    'from=from7@post.example',
    'from=nobody@post.example',
    'to=to7@far.example',
    'to=few7@far.example',
    'to=some7@far.example',
    'to=many7@far.example',
    'to=every@far.example',
    'to=nobody@far.example',
    'message_id=%3C7@post.example%3E',
    'since=2026-01-01T00:00:00Z',
    'until=2020-01-01T00:00:00Z',
    'since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z',
    'q=order',
    'q=ORDER%20c81e728d',
    'q=no%20such%20words',
    'q=part%20499',
    'q=100%25',
    'q=zz',
    'q=z',
    'q=%21%21',
    `q=${encodeURIComponent('привет')}`,
    `q=${encodeURIComponent('済')}`,
    'q=Q77',
    'q=to7@far.example',
    'q=some7@far.example',
    'q=every@far.example',
    'q=from7@post.example',
    'q=nobody@far.example',
    'q=%3C7@post.example%3E',
    `domain_id=${domain.id}&status=bounced&direction=inbound`,
    `domain_id=${domain.id}&status=delivered&to=some7@far.example&q=order`,
  ];

  it.each(filters)('with "%s"', async (filter) => {
    expect(await tablesScanned(filter)).toEqual([]);
    expect(await tablesScanned(`${filter}&limit=200`, assigned)).toEqual([]);
  });
});
