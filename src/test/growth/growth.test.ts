import { beforeAll, describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { createConsoleHandler } from '@/server/procedures/console-handler';
import { makeAdmin, makeDomain, makeSession } from '../factories';
import { keyClient } from '../rest';
import { client, explain, pagesOf, readingOf, scansOf } from './plans';
import { SEEDED_KEYS, seedAlerts, seedDirectory, seedDomains, seedMessages, seedTags } from './seed';

const ROWS = 200_000;
/** A tenth of what reading the smallest of the tables takes. */
const MAX_PAGES = 1_000;
/** Rows that three meanings of a text, by up to three indexes each, may read of 200,000 with 500,000 recipients. */
const MAX_ROWS = 15_000;
/** Rows that a total may read: 10,000 keys of each of up to three indexes, with two look-ups of each. Half of the table. */
const MAX_COUNTED_ROWS = 100_000;
/** Rows in the order of their addresses are on a page each. */
const MAX_DIRECTORY_PAGES = 3_000;

const [busy, ...quiet] = [await makeDomain(), await makeDomain(), await makeDomain()];
const quietIds = quiet.map(({ id }) => id);
const api = await keyClient({ role: 'admin' });
const ofBusy = await keyClient({ role: 'domain_admin', domainIds: [busy.id, (await makeDomain()).id] });
const ofQuiet = await keyClient({ role: 'domain_admin', domainIds: quietIds });

beforeAll(async () => {
  const seed = { count: ROWS, busyId: busy.id, quietIds };
  await seedDomains();
  await seedMessages(seed);
  await seedTags();
  await seedDirectory(seed);
  await seedAlerts(seed);
}, 120_000);

const { every: everyKey, few: fewKey } = SEEDED_KEYS;
const noKey = '00000000-0000-7000-8000-00000000a003';

const MESSAGES = ['message', 'message_recipient', 'message_tag'];

it('a scan of a whole table is detected', async () => {
  const plan = await explain('SELECT count(size_bytes) FROM message WHERE size_bytes = $1', [7]);
  expect(scansOf(plan)).toEqual(['message']);
  expect(pagesOf(plan)).toBeGreaterThan(MAX_PAGES);
});

describe('a page of messages is read without the others', () => {
  const filters = [
    '',
    'order=asc',
    `domain_id=${busy.id}`,
    'direction=outbound',
    'direction=inbound',
    'accepted=true',
    'status=delivered',
    'status=bounced',
    'from=from7@post.example',
    'from=nobody@post.example',
    'to=to7@far.example',
    'to=few5@far.example',
    'to=some8@far.example',
    'to=many6@far.example',
    'to=every@far.example',
    'to=old@far.example',
    'to=nobody@far.example',
    'message_id=%3C7@post.example%3E',
    'tag=kind:all',
    'tag=kind:some',
    'tag=kind:one&order=asc',
    'tag=kind:none',
    'tag=kind:one&q=order',
    `api_key_id=${everyKey}`,
    `api_key_id=${fewKey}&order=asc`,
    `api_key_id=${fewKey}&status=bounced`,
    `api_key_id=${noKey}`,
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
    `q=${encodeURIComponent('привет')}`,
    `q=${encodeURIComponent('済')}`,
    'q=Q77',
    'q=far.example',
    'q=%40post.ex',
    'q=from7%40post',
    'q=to7%40far.exam',
    'q=to15000',
    'q=nobody%40far',
    'q=%40elsewhere.example',
    'q=to7@far.example',
    'q=some8@far.example',
    'q=every@far.example',
    'q=old@far.example',
    'q=from7@post.example',
    'q=nobody@far.example',
    'q=%3C7@post.example%3E',
    `domain_id=${busy.id}&status=bounced&direction=inbound`,
    'q=order%20of%20your',
    'q=part%20of%20order&order=asc',
  ];

  it.each(filters)('with "%s"', async (filter) => {
    const all = await readingOf(() => api.get(`/messages?${filter}`), MESSAGES);
    expect(all.scanned).toEqual([]);
    expect(all.pages).toBeLessThan(MAX_PAGES);
    const own = await readingOf(() => ofBusy.get(`/messages?${filter}`), MESSAGES);
    expect(own.scanned).toEqual([]);
    expect(own.pages).toBeLessThan(MAX_PAGES);
  });

  /** Combinations that match few messages or none, although each condition matches many. */
  const rare = [
    `domain_id=${busy.id}&status=bounced`,
    `domain_id=${busy.id}&status=uncertain`,
    `domain_id=${busy.id}&direction=inbound`,
    `domain_id=${busy.id}&direction=inbound&status=bounced`,
    'direction=inbound&status=failed',
    'from=from7@post.example&status=failed',
    'from=from6@post.example&direction=inbound&order=asc',
    `from=from6@post.example&domain_id=${quiet[0]?.id}`,
    `to=every@far.example&domain_id=${quiet[0]?.id}`,
    `to=every@far.example&domain_id=${busy.id}&status=bounced`,
    'to=every@far.example&from=from7@post.example',
    'to=every@far.example&direction=outbound&status=failed',
    'to=every@far.example&q=from7@post.example',
    `q=every@far.example&domain_id=${busy.id}&status=failed`,
    `q=order&domain_id=${busy.id}&status=bounced`,
    `domain_id=${busy.id}&status=delivered&to=few5@far.example&q=order`,
    `q=order%20of%20your&domain_id=${busy.id}&direction=inbound`,
    `tag=kind:all&domain_id=${busy.id}&status=bounced`,
    'tag=kind:some&from=from7@post.example',
    'tag=kind:all&to=few5@far.example&direction=inbound',
    'tag=kind:all&q=order&status=failed',
    'q=order&from=from7@post.example&status=failed',
    `api_key_id=${everyKey}&status=failed`,
    `api_key_id=${everyKey}&to=few5@far.example&direction=inbound`,
    `api_key_id=${everyKey}&domain_id=${busy.id}&status=bounced`,
    'q=order&to=every@far.example&status=failed',
    'status=bounced&since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z',
  ];

  it.each([...filters, ...rare])('and the total with "%s" reads a bounded number of rows', async (filter) => {
    const clients = filter.includes(`${quiet[0]?.id}`) ? [api, ofQuiet] : [api, ofBusy];
    for (const one of clients) {
      const { rows } = await readingOf(() => one.get(`/messages?${filter}&limit=1&total=true`), MESSAGES);
      expect(rows).toBeLessThan(MAX_COUNTED_ROWS);
    }
  });

  it.each(rare)('with "%s", and few rows are looked at', async (filter) => {
    const clients = filter.includes(`${quiet[0]?.id}`) ? [api, ofQuiet] : [api, ofBusy];
    for (const one of clients) {
      const { scanned, rows } = await readingOf(() => one.get(`/messages?${filter}`), MESSAGES);
      expect({ scanned, isBounded: rows < MAX_ROWS }).toEqual({ scanned: [], isBounded: true });
    }
  });

  it.each(['', 'status=delivered', 'direction=outbound&order=asc', `domain_id=${busy.id}`, 'to=every@far.example'])(
    'deep in the list, with "%s"',
    async (filter) => {
      let cursor = '';
      for (let page = 0; page < 20; page++) {
        const { meta } = await api.get(`/messages?${filter}&limit=200${cursor}`);
        cursor = `&cursor=${meta.pagination?.next_cursor}`;
      }
      const { scanned, rows } = await readingOf(() => api.get(`/messages?${filter}&limit=200${cursor}`), MESSAGES);
      expect({ scanned, isBounded: rows < MAX_ROWS }).toEqual({ scanned: [], isBounded: true });
    },
  );

  it.each(['', 'order=asc', 'direction=outbound', 'status=delivered', 'limit=1', 'q=order'])(
    'of quiet domains, with "%s"',
    async (filter) => {
      const { scanned, pages } = await readingOf(() => ofQuiet.get(`/messages?${filter}`), MESSAGES);
      expect({ scanned, isBounded: pages < MAX_PAGES }).toEqual({ scanned: [], isBounded: true });
    },
  );
});

it.each([
  ['from=from7@post.example&to=every@far.example', `from_address = 'from7@post.example'`],
  [
    `from=from6@post.example&domain_id=${busy.id}&direction=outbound&order=asc`,
    `from_address = 'from6@post.example' AND direction = 'outbound'`,
  ],
  [`to=every@far.example&domain_id=${busy.id}&status=bounced`, `domain_id = '${busy.id}' AND status = 'bounced'`],
  [
    'to=many6@far.example&direction=outbound',
    `direction = 'outbound' AND queue_id IN (SELECT 'Q' || n FROM generate_series(6, ${ROWS}, 20) AS n)`,
  ],
  ['status=bounced&direction=inbound&until=2100-01-01T00:00:00Z', `status = 'bounced' AND direction = 'inbound'`],
  [`direction=inbound&domain_id=${busy.id}`, `direction = 'inbound' AND domain_id = '${busy.id}'`],
])('the pages with "%s" have every match once', async (filter, condition) => {
  const { rows } = await client.query(`SELECT count(*)::int AS count FROM message WHERE ${condition}`);
  const listed: { id: string; created_at: string }[] = [];
  let cursor = '';
  do {
    const { data, meta } = await api.get(`/messages?${filter}&limit=200${cursor}`);
    listed.push(...data);
    cursor = meta.pagination?.has_more ? `&cursor=${meta.pagination.next_cursor}` : '';
  } while (cursor !== '');
  expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
  const times = listed.map(({ created_at: at }) => at);
  expect(times).toEqual(filter.includes('order=asc') ? times.toSorted() : times.toSorted().toReversed());
  expect(listed).toHaveLength(rows[0].count);
  const { total } = (await api.get(`/messages?${filter}&limit=1&total=true`)).meta.pagination ?? {};
  if (total !== null) expect(total).toBe(Math.min(listed.length, 10_000));
});

/** A query of the console. */
async function query(path: string, input: object, over: Parameters<typeof makeAdmin>[0]) {
  const { id } = await makeAdmin(over);
  const headers = { cookie: (await makeSession(id)).cookie, 'sec-fetch-site': 'same-origin' };
  const url = `http://localhost:3000/api/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input))}`;
  return () => createConsoleHandler(appRouter)(new Request(url, { headers }));
}

it.each([
  { direction: 'outbound' },
  { since: '2020-01-01T00:00:00Z' },
  { domain_id: busy.id, until: '2100-01-01T00:00:00Z' },
  { q: 'order' },
  { q: 'far.example' },
  { q: '@post.ex', direction: 'inbound' },
  { q: 'every@far.example' },
  { q: 'no such words' },
  { to: 'every@far.example', from: 'from7@post.example' },
  { accepted: true, domain_id: busy.id },
])('the counts above the list read at most so many messages, with %o', async (input) => {
  const counted = await query('messages.totals', input, { role: 'admin' });
  const { scanned, rows } = await readingOf(counted, MESSAGES);
  expect({ scanned, isBounded: rows < MAX_COUNTED_ROWS }).toEqual({ scanned: [], isBounded: true });
  const { result } = await (await counted()).json();
  const { counts, is_complete: isComplete } = result.data;
  const total = Object.values<number>(counts).reduce((sum, count) => sum + count, 0);
  expect(total).toBeLessThanOrEqual(10_000);
  if (total === 10_000) expect(isComplete).toBe(false);
});

it('the overview of quiet domains is read without the others’ messages', async () => {
  const call = await query('overview.get', {}, { role: 'domain_admin', domainIds: quietIds });
  const { scanned, pages } = await readingOf(call, MESSAGES);
  expect(scanned).toEqual([]);
  expect(pages).toBeLessThan(MAX_PAGES);
});

it.each(['{}', JSON.stringify({ domain_id: busy.id })])(
  'what needs attention is read without the mailboxes that need none, with %s',
  async (input) => {
    const { id } = await makeAdmin({ role: 'super_admin' });
    const headers = { cookie: (await makeSession(id)).cookie, 'sec-fetch-site': 'same-origin' };
    const url = `http://localhost:3000/api/trpc/overview.attention?input=${encodeURIComponent(input)}`;
    const call = () => createConsoleHandler(appRouter)(new Request(url, { headers }));
    const { scanned, pages } = await readingOf(call, ['mailbox']);
    expect(scanned).toEqual([]);
    expect(pages).toBeLessThan(MAX_PAGES);
  },
);

it('a search for common words without a match among the newest messages continues on the next page', async () => {
  const search = `q=${encodeURIComponent('part of your order')}`;
  const first = await api.get(`/messages?${search}`);
  expect(first.data).toEqual([]);
  expect(first.meta.pagination?.has_more).toBe(true);
  const second = await api.get(`/messages?${search}&cursor=${first.meta.pagination?.next_cursor}`);
  expect(second.data).toMatchObject([{ queue_id: 'Q4000', subject: 'Part of your order' }]);
});

describe.each([
  { list: 'mailboxes', table: 'mailbox', sort: 'local_part', own: 'user', other: 'smith person', exact: 'email' },
  {
    list: 'aliases',
    table: 'alias',
    sort: 'source_local_part',
    own: 'info',
    other: 'far.example person',
    exact: 'address',
  },
])('a page of $list is read without the others', ({ list, table, sort, own, other, exact }) => {
  const searches = [own, `${own}123`, `${own}12345`, 'person', 'c4ca42', 'nobody', 'zq', 'z', 'ж', other];
  const filters = [
    '',
    'order=asc',
    `sort=${sort}`,
    `sort=${sort}&order=asc`,
    ...searches.map((text) => `q=${encodeURIComponent(text)}`),
    `q=${own}12345&sort=${sort}`,
    `q=${own}12346@${busy.name}`,
    `q=@${busy.name}`,
    `q=${own}5@domain`,
    `q=nobody@${busy.name}&sort=${sort}`,
    `${exact}=${own}12345@${busy.name}`,
    `${exact}=nobody@${busy.name}&sort=${sort}`,
  ];

  async function expectBounded(client: typeof api, query: string) {
    const { scanned, pages } = await readingOf(() => client.get(`/${list}?${query}`), [table]);
    expect(scanned).toEqual([]);
    expect(pages).toBeLessThan(MAX_DIRECTORY_PAGES);
  }

  it.each(filters)('with "%s"', async (filter) => {
    await expectBounded(api, filter);
    await expectBounded(api, `${filter}&domain_id=${busy.id}`);
    await expectBounded(ofQuiet, `${filter}&domain_id=${quietIds[0]}`);
    if (list === 'mailboxes') await expectBounded(ofQuiet, filter);
  });

  it.each([...filters, 'active=false', 'active=true'])('and the total with "%s"', async (filter) => {
    const rowsOf = async (more: string) => {
      const query = `${filter}&domain_id=${busy.id}&limit=1${more}`;
      return (await readingOf(() => api.get(`/${list}?${query}`), [table])).rows;
    };
    expect((await rowsOf('&total=true')) - (await rowsOf(''))).toBeLessThan(MAX_COUNTED_ROWS);
  });
});

it.each([
  'sort=percent_full',
  'sort=percent_full&order=asc',
  'min_percent_full=80',
  'min_percent_full=80&sort=percent_full',
])('a page of mailboxes by how full they are is read without the others, with "%s"', async (filter) => {
  for (const scope of ['', `&domain_id=${busy.id}`]) {
    const { scanned, pages } = await readingOf(() => api.get(`/mailboxes?${filter}${scope}`), ['mailbox']);
    expect(scanned).toEqual([]);
    expect(pages).toBeLessThan(MAX_DIRECTORY_PAGES);
  }
});

it.each(['', '&order=asc', '&status=open', '&status=open&order=asc'])(
  'a page of a domain’s alerts by severity is read without the others, with "%s"',
  async (filter) => {
    const path = `/abuse/alerts?sort=severity&domain_id=${busy.id}${filter}`;
    const { scanned, rows } = await readingOf(() => api.get(path), ['alert']);
    expect({ scanned, isBounded: rows < MAX_ROWS }).toEqual({ scanned: [], isBounded: true });
  },
);
