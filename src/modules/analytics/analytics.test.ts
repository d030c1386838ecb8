import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeSuppression, unique } from '@/test/factories';
import { type Client, expectError, keyClient } from '@/test/rest';

type Sent = {
  at?: Date;
  from?: string;
  status?: 'sent' | 'delivered' | 'bounced' | 'deferred';
  seconds?: number;
  to?: string;
};

async function addMessage(domain: { id: string; name: string }, over: Sent = {}): Promise<void> {
  const {
    at = new Date(),
    from = `shop@${domain.name}`,
    status = 'delivered',
    seconds = 2,
    to = 'ann@far.example',
  } = over;
  const deliveredAt = status === 'delivered' ? new Date(at.getTime() + seconds * 1000) : null;
  const recipient = { address: to, kind: 'to' as const, status, deliveredAt, smtpCode: status === 'sent' ? null : 250 };
  await db.message.create({
    data: {
      messageId: `<${unique()}@${domain.name}>`,
      queueId: unique(),
      domainId: domain.id,
      direction: 'outbound',
      fromAddress: from,
      subject: 'Hello',
      sizeBytes: 1,
      status,
      createdAt: at,
      recipients: { create: recipient },
    },
  });
}

async function get(api: Client, query = '') {
  const { status, data } = await api.get(`/analytics?${query}`);
  expect(status).toBe(200);
  return data;
}

const api = await keyClient({ role: 'super_admin' });

describe('suppressions', () => {
  it('are counted by reason, of the period and the one before, in the caller’s domains', async () => {
    const [domain, other] = [await makeDomain(), await makeDomain()];
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000);
    const add = (reason: 'bounce' | 'complaint' | 'unsubscribe', days: number, over: { id: string } | null = domain) =>
      makeSuppression(over?.id ?? null, `${unique()}@far.example`, { reason, createdAt: daysAgo(days) });
    await Promise.all([add('complaint', 1), add('complaint', 2), add('unsubscribe', 3), add('complaint', 10)]);
    await Promise.all([add('bounce', 40), add('bounce', 1, other), add('bounce', 1, null)]);
    const expected = { bounce: 0, complaint: 2, unsubscribe: 1, manual: 0 };
    const own = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    for (const [client, query] of [
      [api, `&domain_id=${domain.id}`],
      [own, ''],
    ] as const) {
      const found = await get(client, `period=7d${query}`);
      expect(found.suppressions).toEqual(expected);
      expect(found.previous.suppressions).toEqual({ ...expected, complaint: 1, unsubscribe: 0 });
    }
    expect((await get(own, `period=7d&sender=shop@${domain.name}`)).suppressions).toBeNull();
  });
});

describe('statistics', () => {
  it('have an entry for every part of the period, zero where there is nothing', async () => {
    const domain = await makeDomain();
    const data = await get(api, `domain_id=${domain.id}&period=7d`);
    expect(data).toMatchObject({ period: '7d', granularity: 'day', timezone: 'UTC', dimension: null, breakdown: [] });
    expect(data.series).toHaveLength(8);
    const none = { sent: 0, delivered: 0, received: 0, bounces: { permanent: 0, temporary: 0 }, undelivered: 0 };
    const nothing = {
      ...none,
      delivery_rate: null,
      bounce_rate: null,
      delivery_seconds: { p50: null, p95: null, p99: null },
    };
    for (const figures of [data.totals, data.previous.totals, ...data.series]) expect(figures).toMatchObject(nothing);
  });

  it('cover times before there were any messages', async () => {
    const data = await get(api, 'period=custom&start=1990-01-01T00:00:00Z&end=1995-01-01T00:00:00Z');
    expect(data.granularity).toBe('month');
    expect(data.series).toHaveLength(60);
    expect(data.totals.sent).toBe(0);
  });

  it('have rates of what was sent, and the period before', async () => {
    const domain = await makeDomain();
    const yesterday = new Date(Date.now() - 30 * 3_600_000);
    for (const status of ['delivered', 'delivered', 'bounced', 'deferred'] as const)
      await addMessage(domain, { status });
    await addMessage(domain, { at: yesterday });
    const { totals, previous } = await get(api, `domain_id=${domain.id}`);
    expect(totals).toMatchObject({
      sent: 4,
      delivery_rate: 0.5,
      bounce_rate: 0.25,
      bounces: { permanent: 1, temporary: 1 },
    });
    expect(previous.totals).toMatchObject({ sent: 1, delivery_rate: 1 });
  });

  it('have the time that deliveries took, within 2.5 %', async () => {
    const domain = await makeDomain();
    for (let n = 1; n <= 100; n++) await addMessage(domain, { seconds: n });
    for (let n = 0; n < 20; n++) {
      for (const status of ['bounced', 'deferred', 'sent'] as const) await addMessage(domain, { status });
    }
    const { totals, series } = await get(api, `domain_id=${domain.id}`);
    for (const [name, exact] of [
      ['p50', 50],
      ['p95', 95],
      ['p99', 99],
    ] as const) {
      expect(Math.abs(totals.delivery_seconds[name] / exact - 1)).toBeLessThan(0.026);
    }
    expect(series.at(-1).delivery_seconds.p50 ?? series.at(-2).delivery_seconds.p50).toBeGreaterThan(1);
  });

  it('put a message into the part of the day of its time zone', async () => {
    const domain = await makeDomain();
    await addMessage(domain, { at: new Date('2026-01-10T18:20:00Z') });
    const span = 'period=custom&start=2026-01-09T00:00:00Z&end=2026-01-12T00:00:00Z&granularity=day';
    const dayOf = async (timezone: string) => {
      const { series } = await get(api, `${span}&domain_id=${domain.id}&timezone=${timezone}`);
      return series.find(({ sent }: { sent: number }) => sent === 1).at;
    };
    expect(await dayOf('UTC')).toBe('2026-01-10T00:00:00.000Z');
    expect(await dayOf('Asia/Kathmandu')).toBe('2026-01-10T18:15:00.000Z');
    expect(await dayOf('Asia/Kolkata')).toBe('2026-01-09T18:30:00.000Z');
  });
});

describe('a breakdown', () => {
  it('has the largest values first, then all others together', async () => {
    const domain = await makeDomain();
    for (const name of ['c', 'a', 'b', 'a', 'b', 'a']) await addMessage(domain, { to: `x@${name}.example` });
    const { breakdown } = await get(api, `domain_id=${domain.id}&dimension=recipient_domain&limit=2`);
    expect(breakdown).toMatchObject([
      { value: 'a.example', delivered: 3 },
      { value: 'b.example', delivered: 2 },
      { value: null, delivered: 1, delivery_rate: 1 },
    ]);
  });

  it('names domains, and providers of recipients', async () => {
    const domain = await makeDomain();
    for (const to of ['a@gmail.com', 'a@googlemail.com', 'a@hotmail.co.uk', 'a@far.example'])
      await addMessage(domain, { to });
    const domains = await get(api, `domain_id=${domain.id}&dimension=domain`);
    expect(domains.breakdown).toMatchObject([{ value: domain.id, label: domain.name, sent: 4 }]);
    const providers = await get(api, `domain_id=${domain.id}&dimension=provider`);
    expect(providers.breakdown.map(({ value, sent }: { value: string; sent: number }) => [value, sent])).toEqual([
      ['Google', 2],
      ['Microsoft', 1],
      ['Other', 1],
    ]);
  });

  it('can’t be combined with a sender', async () => {
    expectError(await api.get('/analytics?sender=a@b.example&dimension=domain'), 400, 'VALIDATION_ERROR');
    expectError(await api.get('/analytics?dimension=domain&limit=101'), 400, 'INVALID_PAGINATION');
  });
});

it('domain admins and scoped keys see the messages of their domains only', async () => {
  const [own, foreign] = [await makeDomain(), await makeDomain()];
  await addMessage(own);
  await addMessage(foreign);
  const admin = await keyClient({ role: 'domain_admin', domainIds: [own.id] });
  const scoped = await keyClient({ role: 'super_admin', scopedDomainIds: [own.id] });
  for (const client of [admin, scoped]) {
    expect((await get(client)).totals.sent).toBe(1);
    expect((await get(client, 'dimension=domain')).breakdown).toMatchObject([{ value: own.id, sent: 1 }]);
    expect((await get(client, 'dimension=sender')).breakdown).toMatchObject([{ value: `shop@${own.name}`, sent: 1 }]);
    expect((await get(client, `sender=shop@${foreign.name}`)).totals.sent).toBe(0);
  }
  expectError(await admin.get(`/analytics?domain_id=${foreign.id}`), 403, 'FORBIDDEN');
  const nobody = await keyClient({ role: 'domain_admin' });
  expect((await get(nobody)).totals.sent).toBe(0);
  expect((await get(nobody, 'dimension=domain')).breakdown).toEqual([]);
});

describe('the export', () => {
  it('has a line for each entry of the series', async () => {
    const domain = await makeDomain();
    await addMessage(domain);
    const response = await api.download(`/analytics/export?domain_id=${domain.id}&period=7d`);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(/filename="analytics-messages-[\d-]+\.csv"/);
    const [head = '', ...lines] = (await response.text()).trimEnd().split('\r\n');
    expect(head.startsWith('at,until,sent,delivered,')).toBe(true);
    expect(lines).toHaveLength(8);
    expect(lines.at(-1)).toMatch(/^20.*Z,20.*Z,1,1,0,0,0,0,0,1,0,/);
  });

  it('has the breakdown, without cells that spreadsheets run', async () => {
    const domain = await makeDomain();
    await addMessage(domain, { from: `=cmd@${domain.name}` });
    const response = await api.download(`/analytics/export?domain_id=${domain.id}&dimension=sender`);
    const [head, line] = (await response.text()).split('\r\n');
    expect(head).toMatch(/^sender,label,sent/);
    expect(line).toMatch(/^'=cmd@/);
  });
});
