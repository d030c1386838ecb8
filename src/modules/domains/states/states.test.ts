import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { unique } from '@/test/factories';
import { keyClient } from '@/test/rest';

const api = await keyClient();
const DAY_MS = 24 * 3_600_000;

let suffix: string;

beforeEach(() => {
  suffix = `${unique()}.example`;
});

type Over = { active?: boolean; dnsStatus?: 'ok' | 'warning' | 'error'; dmarcPolicy?: string; dnsCheckedAt?: Date };

const make = (name: string, over: Over = {}) => db.domain.create({ data: { name: `${name}.${suffix}`, ...over } });

async function record(domainId: string, purpose: string, status: string, severity: string, name = purpose) {
  const [at, rest] = [new Date(), { position: 0, found: [], required: true, message: '' }];
  const data = { domainId, purpose, type: 'TXT', name, status, severity, changedAt: at, checkedAt: at, ...rest };
  await db.dnsRecord.create({ data });
}

async function dmarcDay(domainId: string, daysAgo: number, messages: number, aligned: number, unknown = 0) {
  const day = new Date(Date.now() - daysAgo * DAY_MS);
  const others = { reports: 1, dkimAligned: 0, spfAligned: 0, quarantined: 0, rejected: 0 };
  await db.dmarcDay.create({ data: { domainId, day, organisation: unique(), messages, aligned, unknown, ...others } });
}

async function tlsDay(domainId: string, daysAgo: number, sessions: number, failedSessions: number) {
  const day = new Date(Date.now() - daysAgo * DAY_MS);
  const texts = { organisation: 'o', contact: 'c', reportId: 'r', policies: [], source: 'upload' as const };
  const times = { beginAt: day, endAt: day, receivedAt: day };
  await db.tlsReport.create({
    data: {
      domainId,
      day,
      sessions,
      failedSessions,
      ...texts,
      ...times,
      fingerprint: Buffer.from(unique()),
      rowCount: 0,
      isTruncated: false,
    },
  });
}

const list = async (query = '', as = api) => (await as.get(`/domains/dns?q=${suffix}&${query}`)).data;
const names = async (query: string) =>
  (await list(query)).map(({ name }: { name: string }) => name.replace(`.${suffix}`, ''));

describe('the state of a domain', () => {
  it('is that of its most severe record by purpose, with the reports of 7 days', async () => {
    const checkedAt = new Date();
    const { id } = await make('one', { dnsStatus: 'error', dmarcPolicy: 'reject', dnsCheckedAt: checkedAt });
    await record(id, 'mx', 'ok', 'ok');
    await record(id, 'dkim', 'ok', 'ok', 'first');
    await record(id, 'dkim', 'missing', 'error', 'second');
    await record(id, 'dkim', 'mismatch', 'warning', 'third');
    await record(id, 'ptr', 'missing', 'error');
    // A retired key, which says nothing about the others.
    await record(id, 'mx', 'temporary_error', 'info', 'other');
    for (const [days, messages, aligned, unknown] of [
      [0, 10, 5, 1],
      [7, 10, 10, 0],
      [9, 100, 0, 0],
    ] as const) {
      await dmarcDay(id, days, messages, aligned, unknown);
    }
    await tlsDay(id, 1, 20, 3);
    await tlsDay(id, 9, 20, 20);
    expect(await list()).toEqual([
      {
        id,
        name: `one.${suffix}`,
        active: true,
        dns_status: 'error',
        dmarc_policy: 'reject',
        mta_sts_mode: 'none',
        records: {
          mx: { status: 'ok', severity: 'ok' },
          spf: null,
          dkim: { status: 'missing', severity: 'error' },
          dmarc: null,
          mta_sts: null,
          tls_rpt: null,
        },
        checked_at: checkedAt.toISOString(),
        answered_at: expect.any(String),
        dmarc_reports: { messages: 20, passed: 15, failed: 4 },
        tls_reports: { sessions: 20, failed_sessions: 3 },
      },
    ]);
  });

  it('has no reports where there are none, and no records before the first check', async () => {
    await make('new');
    const records = { mx: null, dmarc: null };
    const unknown = { records, checked_at: null, answered_at: null, dmarc_reports: null, tls_reports: null };
    expect(await list()).toMatchObject([{ dns_status: 'unchecked', ...unknown }]);
  });
});

it('and the domains themselves are ordered by state and by policy, the worst first with desc, page by page', async () => {
  const checked = { dnsCheckedAt: new Date() };
  await make('a-ok', { ...checked, dnsStatus: 'ok', dmarcPolicy: 'reject' });
  await make('b-error', { ...checked, dnsStatus: 'error', dmarcPolicy: 'none' });
  await make('c-new');
  await make('d-warning', { ...checked, dnsStatus: 'warning' });
  await make('e-ok', { ...checked, dnsStatus: 'ok', dmarcPolicy: 'quarantine' });
  const ordered = async (path: string, sort: string) => {
    const found: string[] = [];
    let cursor = '';
    do {
      const { data, meta } = await api.get(`${path}?q=${suffix}&limit=2&total=true&sort=${sort}${cursor}`);
      found.push(...data.map(({ name }: { name: string }) => name.replace(`.${suffix}`, '')));
      expect(meta.pagination?.total).toBe(5);
      cursor = meta.pagination?.has_more ? `&cursor=${meta.pagination.next_cursor}` : '';
    } while (cursor !== '');
    return found;
  };
  for (const path of ['/domains', '/domains/dns']) {
    expect(await ordered(path, 'dns_status')).toEqual(['b-error', 'd-warning', 'c-new', 'a-ok', 'e-ok']);
    expect(await ordered(path, 'dns_status&order=asc')).toEqual(['a-ok', 'e-ok', 'c-new', 'd-warning', 'b-error']);
    expect(await ordered(path, 'dmarc_policy')).toEqual(['d-warning', 'b-error', 'e-ok', 'c-new', 'a-ok']);
  }
  const { data } = await api.get(`/domains?name=b-error.${suffix}&sort=dns_status&active=true&dmarc_policy=none`);
  expect(data).toMatchObject([{ name: `b-error.${suffix}`, dns_status: 'error', dmarc_policy: 'none' }]);
  const other = await keyClient({ role: 'domain_admin' });
  expect((await other.get('/domains?sort=dns_status')).data).toEqual([]);
});

it('says when a DNS server last answered if the checks since then got no answers', async () => {
  const checkedAt = new Date(Date.now() + DAY_MS);
  const { id } = await make('unanswered', { dnsStatus: 'ok', dnsCheckedAt: checkedAt });
  await record(id, 'mx', 'ok', 'ok');
  const { checkedAt: answeredAt } = await db.dnsRecord.findFirstOrThrow({ where: { domainId: id } });
  await record(id, 'spf', 'temporary_error', 'warning');
  await db.dnsRecord.updateMany({ where: { domainId: id, purpose: 'spf' }, data: { checkedAt } });
  expect(await list()).toMatchObject([{ checked_at: checkedAt.toISOString(), answered_at: answeredAt.toISOString() }]);
});

describe('the list', () => {
  beforeEach(async () => {
    const [at, old] = [new Date(), new Date(Date.now() - DAY_MS)];
    const ok = await make('b-ok', { dnsStatus: 'ok', dmarcPolicy: 'reject', dnsCheckedAt: at });
    const warned = await make('c-warned', { dnsStatus: 'warning', dnsCheckedAt: old });
    const broken = await make('d-broken', { dnsStatus: 'error', dmarcPolicy: 'none', dnsCheckedAt: at });
    await make('a-broken', { dnsStatus: 'error', dnsCheckedAt: old, active: false });
    await record(broken.id, 'spf', 'missing', 'error');
    await record(warned.id, 'mta_sts', 'mismatch', 'warning');
    await record(ok.id, 'spf', 'ok', 'ok');
    await dmarcDay(ok.id, 1, 1_000, 1_000);
    await dmarcDay(warned.id, 1, 1_000, 20);
    await tlsDay(ok.id, 1, 1_000, 9);
    await tlsDay(broken.id, 1, 1_000, 100);
  });

  it.each([
    ['', ['a-broken', 'd-broken', 'c-warned', 'b-ok']],
    ['order=asc', ['b-ok', 'c-warned', 'a-broken', 'd-broken']],
    ['sort=name&order=asc', ['a-broken', 'b-ok', 'c-warned', 'd-broken']],
    ['sort=name', ['d-broken', 'c-warned', 'b-ok', 'a-broken']],
    ['sort=dmarc_pass_rate&order=asc', ['c-warned', 'b-ok', 'a-broken', 'd-broken']],
    ['sort=dmarc_pass_rate', ['b-ok', 'c-warned', 'a-broken', 'd-broken']],
    ['sort=tls_failures', ['d-broken', 'b-ok', 'a-broken', 'c-warned']],
    ['sort=tls_failures&order=asc', ['b-ok', 'd-broken', 'a-broken', 'c-warned']],
  ])('is ordered, page by page: %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
    const found = [];
    for (let cursor = ''; ; ) {
      const { data, meta } = await api.get(`/domains/dns?q=${suffix}&${query}&limit=1${cursor}`);
      found.push(...data.map(({ name }: { name: string }) => name.replace(`.${suffix}`, '')));
      if (!meta.pagination?.has_more) break;
      cursor = `&cursor=${meta.pagination.next_cursor}`;
    }
    expect(found).toEqual(expected);
  });

  it.each([
    ['active=true', ['d-broken', 'c-warned', 'b-ok']],
    ['dns_status=error&active=true', ['d-broken']],
    ['problem=spf', ['d-broken']],
    ['problem=mta_sts', ['c-warned']],
    ['problem=dkim', []],
    ['problem=dmarc_failures', ['c-warned']],
    ['problem=tls_failures', ['d-broken', 'b-ok']],
    ['dmarc_policy=none', ['d-broken']],
    ['dmarc_policy=missing', ['a-broken', 'c-warned']],
  ])('is filtered by %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('counts what matches', async () => {
    const { meta } = await api.get(`/domains/dns?q=${suffix}&limit=1&problem=tls_failures&total=true`);
    expect(meta.pagination).toMatchObject({ total: 2, has_more: true });
  });

  it('has the domains of a domain admin only', async () => {
    const own = await make('own');
    const scoped = await keyClient({ role: 'domain_admin', domainIds: [own.id] });
    expect(await list('', scoped)).toMatchObject([{ id: own.id }]);
  });
});
