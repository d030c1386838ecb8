import { describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import type { Alert } from '@/server/prisma/client';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, makeMany } from '@/test/factories';
import { makeMessage } from '@/test/mail/reported-message';
import { expectError, keyClient } from '@/test/rest';
import { deleteOldSends, raiseSpikeAlerts } from './spikes';

const HOUR_MS = 3_600_000;
const MISSING_ID = '01a1f000-0000-7000-8000-000000000000';

const api = await keyClient({ role: 'admin' });
const owner = await keyClient({ role: 'super_admin' });

const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

function makeSends(domainId: string, address: string, count: number, at: Date) {
  return db.countedSend.createMany({
    data: Array.from({ length: count }, () => ({ id: uuidv7(), address, domainId, at })),
  });
}

function makeAlert(domainId: string, over: Partial<Pick<Alert, 'kind' | 'severity' | 'status' | 'createdAt'>> = {}) {
  const alert = {
    kind: 'rate_limited' as const,
    severity: 'warning' as const,
    subject: `${uuidv7()}.example`,
    count: 10,
    expected: 10,
    domainId,
  };
  return db.alert.create({ data: { ...alert, ...over } });
}

describe('the summary', () => {
  it('counts suspended mailboxes, open alerts, and messages sent and rejected', async () => {
    const before = (await api.get('/abuse/summary')).data;
    const domain = await makeDomain();
    const address = `shop@${domain.name}`;
    await makeMailbox(domain.id, 'shop', { suspendedAt: new Date() });
    await makeAlert(domain.id);
    await makeAlert(domain.id, { status: 'closed' });
    await makeSends(domain.id, address, 3, hoursAgo(0.5));
    await makeSends(domain.id, address, 4, hoursAgo(2));
    await makeSends(domain.id, address, 5, hoursAgo(25));
    const limited = (at: Date) => ({ id: uuidv7(), address, domainId: domain.id, at });
    await db.limitedSend.createMany({ data: [limited(hoursAgo(2)), limited(hoursAgo(25))] });
    const after = (await api.get('/abuse/summary')).data;
    const grown = Object.fromEntries(Object.keys(after).map((key) => [key, after[key] - before[key]]));
    expect(grown).toEqual({
      suspended_mailboxes: 1,
      open_alerts: 1,
      sent_last_hour: 3,
      sent_last_24h: 7,
      limited_last_24h: 1,
    });
  });
});

describe('the top senders', () => {
  it('are those of the last 24 hours by volume, with mailbox and limit', async () => {
    const domain = await makeDomain();
    const mailbox = await makeMailbox(domain.id, 'shop', { suspendedAt: new Date() });
    await makeSends(domain.id, `shop@${domain.name}`, 3, hoursAgo(0.5));
    await makeSends(domain.id, `news@${domain.name}`, 2, hoursAgo(0.5));
    await makeSends(domain.id, `news@${domain.name}`, 5, hoursAgo(3));
    await makeSends(domain.id, `old@${domain.name}`, 9, hoursAgo(25));
    await makeSends((await makeDomain()).id, 'a@other.example', 9, hoursAgo(0.5));
    const { data } = await api.get(`/abuse/senders?domain_id=${domain.id}`);
    const shared = { domain_id: domain.id, limit: 200 };
    const shop = { address: `shop@${domain.name}`, mailbox_id: mailbox.id, sent_last_hour: 3, sent_last_24h: 3 };
    const news = { address: `news@${domain.name}`, mailbox_id: null, sent_last_hour: 2, sent_last_24h: 7 };
    expect(data).toEqual([
      { ...shared, ...shop, active: true, suspended: true },
      { ...shared, ...news, active: null, suspended: false },
    ]);
    const byDay = await api.get(`/abuse/senders?domain_id=${domain.id}&sort=sent_last_24h`);
    expect(byDay.data.map(({ address }: { address: string }) => address)).toEqual([news.address, shop.address]);
  });

  it('are ordered by the other period where their counts are equal, then from a to z', async () => {
    const domain = await makeDomain();
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((local) => `${local}@${domain.name}`) as [
      string,
      string,
      string,
      string,
    ];
    await makeSends(domain.id, c, 1, hoursAgo(0.5));
    await makeSends(domain.id, c, 1, hoursAgo(3));
    for (const address of [b, a]) await makeSends(domain.id, address, 2, hoursAgo(3));
    await makeSends(domain.id, d, 5, hoursAgo(3));
    const orders = {
      'sort=sent_last_hour': [c, d, a, b],
      'sort=sent_last_24h': [d, c, a, b],
      'sort=sent_last_hour&order=asc': [a, b, d, c],
    };
    for (const [query, expected] of Object.entries(orders)) {
      const path = `/abuse/senders?domain_id=${domain.id}&${query}&limit=1`;
      const seen: string[] = [];
      let cursor = '';
      do {
        const { data, meta } = await api.get(path + (cursor && `&cursor=${cursor}`));
        seen.push(...data.map(({ address }: { address: string }) => address));
        cursor = meta.pagination?.next_cursor ?? '';
      } while (cursor);
      expect(seen, query).toEqual(expected);
    }
  });

  it('are paginated without gaps or repeats while they keep sending', async () => {
    const domain = await makeDomain();
    const names = ['a', 'b', 'c', 'd', 'e'].map((local) => `${local}@${domain.name}`);
    for (const [index, name] of names.entries()) await makeSends(domain.id, name, index < 2 ? 3 : 2, hoursAgo(0.5));
    for (const order of ['desc', 'asc']) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const query = `domain_id=${domain.id}&limit=2&order=${order}${cursor && `&cursor=${cursor}`}`;
        const { data, meta } = await api.get(`/abuse/senders?${query}`);
        seen.push(...data.map(({ address }: { address: string }) => address));
        cursor = meta.pagination?.next_cursor ?? '';
        await makeSends(domain.id, names[4] ?? '', 9, new Date());
        await makeSends(domain.id, names[0] ?? '', 9, new Date());
      } while (cursor);
      expect(seen.toSorted()).toEqual(names);
    }
  });

  it('reject an altered cursor and one from another order', async () => {
    const domain = await makeDomain();
    for (const local of ['a', 'b']) await makeSends(domain.id, `${local}@${domain.name}`, 1, hoursAgo(0.5));
    const list = `/abuse/senders?domain_id=${domain.id}&limit=1`;
    const cursor = (await api.get(list)).meta.pagination?.next_cursor ?? '';
    expect((await api.get(`${list}&cursor=${cursor}`)).status).toBe(200);
    expectError(await api.get(`${list}&cursor=x${cursor}`), 400, 'INVALID_PAGINATION');
    expectError(await api.get(`${list}&order=asc&cursor=${cursor}`), 400, 'INVALID_PAGINATION');
    expectError(await api.get(`/abuse/senders?domain_id=${MISSING_ID}`), 404, 'DOMAIN_NOT_FOUND');
  });
});

describe('the alerts', () => {
  it('are filtered by status, kind and domain, newest first', async () => {
    const domain = await makeDomain();
    const old = await makeAlert(domain.id, { createdAt: hoursAgo(5) });
    const spike = await makeAlert(domain.id, { kind: 'volume_spike', status: 'closed', createdAt: hoursAgo(2) });
    await makeAlert((await makeDomain()).id);
    const ids = async (query: string) =>
      (await api.get(`/abuse/alerts?domain_id=${domain.id}${query}`)).data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([spike.id, old.id]);
    expect(await ids('&status=open')).toEqual([old.id]);
    expect(await ids('&kind=volume_spike')).toEqual([spike.id]);
    expect(await ids('&kind=volume_spike&status=acknowledged')).toEqual([]);
    expectError(await api.get('/abuse/alerts?kind=noise'), 400, 'VALIDATION_ERROR');
  });

  it('are sorted by severity and then by time, also across pages', async () => {
    const domain = await makeDomain();
    const now = Date.now();
    const made = new Map<string, string>();
    for (const [name, severity, hours] of [
      ['old critical', 'critical', 9],
      ['new warning', 'warning', 1],
      ['new critical', 'critical', 2],
      ['old warning', 'warning', 8],
      ['same critical', 'critical', 2],
    ] as const) {
      const { id } = await makeAlert(domain.id, { severity, createdAt: new Date(now - hours * HOUR_MS) });
      made.set(id, name);
    }
    const pages = async (query: string) => {
      const names: (string | undefined)[] = [];
      for (let cursor = ''; ; ) {
        const path = `/abuse/alerts?domain_id=${domain.id}&sort=severity&limit=2${query}`;
        const { data, meta } = await api.get(cursor ? `${path}&cursor=${cursor}` : path);
        names.push(...data.map(({ id }: { id: string }) => made.get(id)));
        cursor = meta.pagination?.next_cursor ?? '';
        if (!meta.pagination?.has_more) return names;
      }
    };
    const descending = ['same critical', 'new critical', 'old critical', 'new warning', 'old warning'];
    expect(await pages('')).toEqual(descending);
    expect(await pages('&order=asc')).toEqual(descending.toReversed());
    expect(await pages('&status=open&severity=warning')).toEqual(['new warning', 'old warning']);
    const first = await api.get(`/abuse/alerts?domain_id=${domain.id}&sort=severity&limit=2&total=true`);
    expect(first.meta.pagination?.total).toBe(5);
    const cursor = first.meta.pagination?.next_cursor;
    expectError(
      await api.get(`/abuse/alerts?domain_id=${domain.id}&limit=2&cursor=${cursor}`),
      400,
      'INVALID_PAGINATION',
    );
  });

  it('can be acknowledged, closed and reopened, each with an audit entry', async () => {
    const domain = await makeDomain();
    const { id, subject } = await makeAlert(domain.id);
    for (const status of ['acknowledged', 'closed', 'open']) {
      const answer = await api.patch(`/abuse/alerts/${id}`, { status });
      expect(answer.data).toMatchObject({ id, status, subject, domain_id: domain.id });
      const entry = await db.auditEntry.findFirstOrThrow({ where: { requestId: answer.meta.request_id } });
      expect(entry).toMatchObject({
        action: 'alert.update',
        resource: `alert:${id}`,
        domainId: domain.id,
        details: { after: { status } },
      });
    }
    expectError(await api.patch(`/abuse/alerts/${id}`, { status: 'gone' }), 400, 'VALIDATION_ERROR');
    expectError(await api.patch(`/abuse/alerts/${MISSING_ID}`, { status: 'open' }), 404, 'NOT_FOUND');
  });

  it('are kept when their domain is deleted', async () => {
    const domain = await makeDomain();
    const { id } = await makeAlert(domain.id);
    await makeSends(domain.id, `a@${domain.name}`, 1, new Date());
    expect((await api.delete(`/domains/${domain.id}`)).status).toBe(200);
    expect(await db.alert.findUniqueOrThrow({ where: { id } })).toMatchObject({ domainId: null });
  });
});

describe('the thresholds', () => {
  it('have the documented defaults, change one by one, and are audited with before and after', async () => {
    const before = (await api.get('/abuse/thresholds')).data;
    expect(before).toMatchObject({ mailbox_hourly: 200, domain_hourly: 1000, spike_factor: 5 });
    const answer = await owner.patch('/abuse/thresholds', { spike_factor: 2.5 });
    expect(answer.data).toMatchObject({ mailbox_hourly: 200, domain_hourly: 1000, spike_factor: 2.5 });
    expect((await api.get('/abuse/thresholds')).data).toEqual(answer.data);
    const entry = await db.auditEntry.findFirstOrThrow({ where: { requestId: answer.meta.request_id } });
    expect(entry).toMatchObject({
      action: 'abuse_threshold.update',
      resource: 'abuse_threshold',
      details: { before, after: answer.data },
    });
    await owner.patch('/abuse/thresholds', { spike_factor: 5 });
  });

  it.each([
    { mailbox_hourly: 0 },
    { mailbox_hourly: 1.5 },
    { domain_hourly: -1 },
    { domain_hourly: 1e10 },
    { spike_factor: 0.5 },
    { spike_factor: '5' },
    { spike_minimum: 5 },
  ])('reject %j', async (body) => {
    expect((await owner.patch('/abuse/thresholds', body)).status).toBe(400);
    expect((await api.get('/abuse/thresholds')).data).toMatchObject({ mailbox_hourly: 200, domain_hourly: 1000 });
  });

  it('can only be changed by a super_admin', async () => {
    expectError(await api.patch('/abuse/thresholds', { mailbox_hourly: 1 }), 403, 'FORBIDDEN');
    expect((await api.get('/abuse/thresholds')).data.mailbox_hourly).toBe(200);
  });
});

it('a domain_admin cannot access anything about abuse', async () => {
  const domain = await makeDomain();
  const assigned = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
  for (const path of ['summary', 'senders', 'alerts', 'thresholds']) {
    expectError(await assigned.get(`/abuse/${path}`), 403, 'FORBIDDEN');
  }
});

describe('a volume spike', () => {
  const alertsOf = (domainId: string) =>
    db.alert.findMany({ where: { domainId, kind: 'volume_spike' }, orderBy: { subject: 'asc' } });
  const addressesOf = (count: number) => Array.from({ length: count }, (_, n) => `r${n}@far.example`);

  it('raises one alert per day for the address and one for its domain, and blocks nothing', async () => {
    const domain = await makeDomain();
    const mailbox = await makeMailbox(domain.id, 'shop');
    const address = `shop@${domain.name}`;
    await makeSends(domain.id, address, 168 * 4, hoursAgo(30));
    await makeSends(domain.id, address, 20, hoursAgo(0.5));
    await raiseSpikeAlerts(db, new Date());
    expect(await alertsOf(domain.id)).toEqual([]);

    await makeSends(domain.id, address, 1, new Date());
    await Promise.all([raiseSpikeAlerts(db, new Date()), raiseSpikeAlerts(db, new Date())]);
    const found = { status: 'open', count: 21, expected: 4 };
    expect(await alertsOf(domain.id)).toMatchObject([
      { ...found, subject: domain.name, mailboxId: null },
      { ...found, subject: address, mailboxId: mailbox.id },
    ]);
    expect((await db.mailbox.findUniqueOrThrow({ where: { id: mailbox.id } })).suspendedAt).toBeNull();

    const tomorrow = new Date(Date.now() + 24 * HOUR_MS);
    await makeSends(domain.id, address, 60, tomorrow);
    await raiseSpikeAlerts(db, tomorrow);
    expect(await alertsOf(domain.id)).toHaveLength(4);
  });

  it('requires at least 20 messages, however low the usual volume', async () => {
    const domain = await makeDomain();
    await makeSends(domain.id, `news@${domain.name}`, 19, hoursAgo(0.5));
    await raiseSpikeAlerts(db, new Date());
    expect(await alertsOf(domain.id)).toEqual([]);
    await makeSends(domain.id, `news@${domain.name}`, 1, hoursAgo(0.5));
    await raiseSpikeAlerts(db, new Date());
    expect(await alertsOf(domain.id)).toHaveLength(2);
  });

  it('is also one of recipients, with fewer messages', async () => {
    const domain = await makeDomain();
    const address = `shop@${domain.name}`;
    const makeMail = async (recipients: number, at: Date) => {
      const { id } = await makeMessage(domain, 'sent', addressesOf(recipients));
      await db.countedSend.create({ data: { id, address, domainId: domain.id, at } });
    };
    await makeMail(84, hoursAgo(30));
    for (const recipients of [100, 99]) await makeMail(recipients, hoursAgo(0.5));
    await raiseSpikeAlerts(db, new Date());
    expect(await alertsOf(domain.id)).toEqual([]);
    await makeMail(1, hoursAgo(0.5));
    await raiseSpikeAlerts(db, new Date());
    const found = { count: 3, text: 'They had 200 recipients (usually 0.5).' };
    expect(await alertsOf(domain.id)).toMatchObject([
      { ...found, subject: domain.name },
      { ...found, subject: address },
    ]);
  });

  it('is none where messages usually have many recipients', async () => {
    const domain = await makeDomain();
    const sent = (count: number, at: Date) =>
      makeMany(count, async () => {
        const { id } = await makeMessage(domain, 'sent', addressesOf(100));
        await db.countedSend.create({ data: { id, address: `news@${domain.name}`, domainId: domain.id, at } });
      });
    await sent(70, hoursAgo(30));
    await sent(2, hoursAgo(0.5));
    await raiseSpikeAlerts(db, new Date());
    expect(await alertsOf(domain.id)).toEqual([]);
  });

  it('is measured by what the address itself usually sends', async () => {
    const domain = await makeDomain();
    await makeSends(domain.id, `big@${domain.name}`, 168 * 20, hoursAgo(30));
    await makeSends(domain.id, `small@${domain.name}`, 25, hoursAgo(0.5));
    await raiseSpikeAlerts(db, new Date());
    expect((await alertsOf(domain.id)).map(({ subject }) => subject)).toEqual([`small@${domain.name}`]);
  });

  it('is measured over a period whose counts are kept', async () => {
    const domain = await makeDomain();
    await makeSends(domain.id, `a@${domain.name}`, 2, hoursAgo(7 * 24 + 0.9));
    await makeSends(domain.id, `a@${domain.name}`, 3, hoursAgo(8 * 24 + 0.1));
    await deleteOldSends(db, new Date());
    expect(await db.countedSend.count({ where: { domainId: domain.id } })).toBe(2);
  });
});
