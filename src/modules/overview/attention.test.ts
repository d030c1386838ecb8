import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import type { Role } from '@/lib/access/roles';
import { openAlerts } from '@/modules/alerts/service';
import { appRouter } from '@/modules/router';
import { createContext } from '@/server/procedures/context';
import { db } from '@/test/database';
import { BROKEN, BROKEN_MESSAGE, makeDomainWithRecords } from '@/test/dns-records';
import { makeAdmin, makeApiKey, makeDomain, makeMailbox, makeSession, makeWebhook, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';

async function attentionFor(role: Role, domainIds: string[] = [], input: { domain_id?: string } = {}) {
  const { id } = await makeAdmin({ role, domainIds });
  const headers = { cookie: (await makeSession(id)).cookie, 'sec-fetch-site': 'same-origin' };
  return appRouter.createCaller(createContext(new Request('http://localhost/', { headers }))).overview.attention(input);
}

async function openSystemAlerts(subjects: string[]) {
  const about = { domainId: null, count: 0, expected: 0, text: 'It is too much.' };
  const alerts = subjects.map((subject) => ({ ...about, kind: 'system_degraded' as const, subject }));
  await openAlerts(db, alerts, new Date());
}

it('lists the admin’s active domains whose mail depends on broken records, and no others', async () => {
  const own = await makeDomainWithRecords([BROKEN, { severity: 'warning', required: true }, BROKEN, BROKEN]);
  const optional = await makeDomainWithRecords([{ severity: 'error', required: false }]);
  const inactive = await makeDomainWithRecords([BROKEN], { active: false });
  const foreign = await makeDomainWithRecords([BROKEN]);
  const ids = [own.id, optional.id, inactive.id];
  const reason = `${BROKEN_MESSAGE} 2 more records need a fix.`;
  const item = { section: 'domains', id: own.id, subject: own.name, reason, record_status: 'missing' };
  expect(await attentionFor('domain_admin', ids)).toMatchObject({ items: [item], counts: { domains: 1 } });
  expect((await attentionFor('domain_admin', ids, { domain_id: optional.id })).items).toEqual([]);
  const call = attentionFor('domain_admin', ids, { domain_id: foreign.id });
  await expect(call).rejects.toMatchObject({ apiCode: 'FORBIDDEN' });
});

it('lists a domain whose records are not published yet from its second day on, or once they were right', async () => {
  const domain = await makeDomainWithRecords([BROKEN]);
  const { id } = domain;
  const listed = async () => (await attentionFor('domain_admin', [id])).items.map(({ subject }) => subject);
  expect(await listed()).toEqual([domain.name]);
  await db.domain.update({ where: { id }, data: { createdAt: new Date() } });
  expect(await listed()).toEqual([]);
  await openAlerts(db, [{ kind: 'dns_broken', subject: domain.name, domainId: id, count: 1, expected: 0 }], new Date());
  expect(await listed()).toEqual([domain.name]);
  expect((await attentionFor('domain_admin', [id])).items[0]?.at).toEqual(expect.any(String));
});

it('lists suspended mailboxes by address with their reason, five of them, and counts all', async () => {
  const [own, foreign] = [await makeDomain(), await makeDomain()];
  await makeMailbox(foreign.id, 'stranger', { suspendedAt: new Date() });
  await makeMailbox(own.id, 'fine');
  for (let day = 1; day <= 6; day += 1) {
    const { id } = await makeMailbox(own.id, `shop${day}`, { suspendedAt: new Date(Date.UTC(2026, 0, day)) });
    if (day === 6) await db.mailbox.update({ where: { id }, data: { suspensionNote: '214 messages in an hour' } });
  }
  const { items, counts, suspended_mailboxes } = await attentionFor('domain_admin', [own.id]);
  expect(counts).toEqual({ mailboxes: 6 });
  expect(suspended_mailboxes).toBe(6);
  expect(items.map(({ subject }) => subject)).toEqual([6, 5, 4, 3, 2].map((day) => `shop${day}@${own.name}`));
  expect(items[0]).toMatchObject({
    kind: 'mailbox_suspended',
    reason: '214 messages in an hour',
    at: '2026-01-06T00:00:00.000Z',
  });
});

it('lists mailboxes that an admin suspended after those that reject or can’t send mail without anybody’s wish', async () => {
  const domain = await makeDomain();
  for (const [day, reason] of ['rate_limit', ...Array(5).fill('manual')].entries()) {
    const { id } = await makeMailbox(domain.id, `shop${day}`, { suspendedAt: new Date(Date.UTC(2026, 0, 1 + day)) });
    await db.mailbox.update({ where: { id }, data: { suspensionReason: reason } });
  }
  const { id } = await makeMailbox(domain.id, 'full');
  await db.mailbox.update({ where: { id }, data: { usedBytes: 120, quotaBytes: 100 } });
  const { items } = await attentionFor('domain_admin', [domain.id]);
  expect(items.map(({ severity, subject }) => `${severity} ${subject.split('@')[0]}`)).toEqual([
    'critical shop0',
    'critical full',
    'warning shop5',
    'warning shop4',
    'warning shop3',
  ]);
});

it('lists mailboxes that are almost full, the fullest first', async () => {
  const domain = await makeDomain();
  for (const [localPart, usedBytes] of Object.entries({ roomy: 89, almost: 90, full: 120 })) {
    const { id } = await makeMailbox(domain.id, localPart);
    await db.mailbox.update({ where: { id }, data: { usedBytes, quotaBytes: 100 } });
  }
  const { items, counts, critical_counts } = await attentionFor('domain_admin', [domain.id]);
  expect(counts).toEqual({ mailboxes: 2 });
  expect(critical_counts).toEqual({ mailboxes: 1, alerts: 0 });
  expect(items).toMatchObject([
    { kind: 'mailbox_full', severity: 'critical', subject: `full@${domain.name}` },
    { kind: 'mailbox_full', severity: 'warning', reason: '90% of its quota used. A full mailbox rejects new mail.' },
  ]);
});

it('says how many messages wait in the queue for a full mailbox, also by an alias, and since when', async () => {
  const domain = await makeDomain();
  const { id } = await makeMailbox(domain.id, 'full');
  await db.mailbox.update({ where: { id }, data: { usedBytes: 100, quotaBytes: 100 } });
  const full = `full@${domain.name}`;
  const arrive = async (daysAgo: number, status: 'deferred' | 'received', address = full) => {
    const createdAt = new Date(Date.now() - daysAgo * 86_400_000);
    const message = await db.message.create({
      data: {
        messageId: `<${unique()}@far.example>`,
        domainId: domain.id,
        direction: 'inbound',
        fromAddress: 'kim@far.example',
        toAddresses: [address],
        subject: 'Hello',
        sizeBytes: 100,
        status,
        createdAt,
      },
    });
    const about = { messageId: message.id, address, kind: 'to', status, route: 'mailbox' } as const;
    await db.messageRecipient.create({ data: about });
    const event = { id: randomUUID(), messageId: message.id, type: status, at: createdAt, recipient: full };
    await db.messageEvent.create({ data: event });
    return createdAt;
  };
  await arrive(5, 'received');
  const since = await arrive(4, 'deferred');
  await arrive(1, 'deferred');
  await arrive(2, 'deferred', `sales@${domain.name}`);
  expect((await attentionFor('domain_admin', [domain.id])).items).toMatchObject([
    {
      kind: 'mailbox_full',
      reason: '100% of its quota used. It rejects new mail: 3 messages wait in the queue.',
      at: since.toISOString(),
    },
  ]);
});

it('lists failing webhooks and alerts to admins only, and an object once', async () => {
  const domain = await makeDomain();
  const failing = await makeWebhook({ domainId: domain.id, url: 'https://hooks.example/in' });
  await makeWebhook({ domainId: domain.id });
  await db.webhook.update({ where: { id: failing.id }, data: { failuresInRow: 14, failingSince: new Date() } });
  const subject = `${unique()}@${domain.name}`;
  const about = { domainId: domain.id, count: 300, expected: 200 };
  await openAlerts(
    db,
    [
      { ...about, kind: 'rate_limited', subject },
      { ...about, kind: 'webhook_failing', subject: failing.url },
    ],
    new Date(),
  );
  const scope = { domain_id: domain.id };
  const { items, counts } = await attentionFor('admin', [], scope);
  expect(items.filter(({ kind }) => kind === 'webhook_failing')).toMatchObject([
    { section: 'webhooks', id: failing.id, subject: 'hooks.example', reason: '14 failed attempts in a row.' },
  ]);
  expect(items.filter((item) => item.subject === subject)).toMatchObject([
    { section: 'alerts', severity: 'warning', reason: '300 messages in an hour (limit 200).' },
  ]);
  expect(counts.webhooks).toBe(1);
  await db.webhook.update({ where: { id: failing.id }, data: { name: 'Orders' } });
  expect((await attentionFor('admin', [], scope)).items).toContainEqual(
    expect.objectContaining({ subject: 'hooks.example', reason: 'Orders: 14 failed attempts in a row.' }),
  );
  expect((await attentionFor('domain_admin', [domain.id], scope)).items).toEqual([]);
  await db.alert.updateMany({ where: { subject }, data: { status: 'acknowledged' } });
  expect((await attentionFor('admin', [], scope)).items.filter((item) => item.subject === subject)).toEqual([]);
});

it('lists keys in use that expire soon, to their admin and to super admins', async () => {
  const domain = await makeDomain();
  const admin = await makeAdmin({ role: 'admin' });
  const days = (count: number) => new Date(Date.now() + count * 86_400_000);
  const make = async (
    name: string,
    data: { lastUsedAt: Date | null; expiresAt: Date | null; scopedDomainIds?: string[] },
  ) => {
    const { row } = await makeApiKey(admin.id);
    await db.apiKey.update({ where: { id: row.id }, data: { name, ...data } });
  };
  await make('soon', { lastUsedAt: days(0), expiresAt: days(9), scopedDomainIds: [domain.id] });
  await make('later', { lastUsedAt: days(0), expiresAt: days(30) });
  await make('idle', { lastUsedAt: days(-30), expiresAt: days(9) });
  await make('expired', { lastUsedAt: days(0), expiresAt: days(-1) });
  const found = async (role: Role, domainId = domain.id) =>
    (await attentionFor(role, [], { domain_id: domainId })).items.filter(({ kind }) => kind === 'key_expiring');
  const item = { section: 'api-keys', subject: 'soon', reason: 'It was used this week, and expires in 9 days.' };
  expect(await found('super_admin')).toMatchObject([item]);
  expect(await found('admin')).toEqual([]);
  expect(await found('super_admin', (await makeDomain()).id)).toEqual([]);
});

it('counts as many open alerts as their list has, also those about an object that it lists', async () => {
  const domain = await makeDomain();
  const about = { domainId: domain.id, count: 30, expected: 0 };
  await openAlerts(
    db,
    [
      { ...about, kind: 'webhook_failing', subject: 'hooks.example' },
      { ...about, kind: 'dns_broken', subject: domain.name },
      { ...about, kind: 'volume_spike', subject: domain.name },
    ],
    new Date(),
  );
  await openSystemAlerts([`Free disk space (${unique()}.example)`]);
  const api = await keyClient({ role: 'admin' });
  const listed = async (query: string) => (await api.get(`/abuse/alerts?status=open&total=true&limit=1${query}`)).meta;
  const countOf = async (input: { domain_id?: string }) => (await attentionFor('admin', [], input)).open_alerts;
  expect(await countOf({ domain_id: domain.id })).toBe(3);
  expect((await listed(`&domain_id=${domain.id}`)).pagination?.total).toBe(3);
  expect(await countOf({})).toBe((await listed('')).pagination?.total);
  expect((await attentionFor('domain_admin', [domain.id])).open_alerts).toBe(0);
});

it('puts alerts about the system on the page where they are fixed, if the admin has access to it', async () => {
  const host = `${unique()}.example`;
  const subjects = [`Oldest message in the queue (${host})`, 'Age of the last backup', `Free disk space (${host})`];
  await openSystemAlerts(subjects);
  const sections = async (role: Role) => {
    const { items } = await attentionFor(role);
    const found = subjects.map((subject) => items.find((item) => item.subject === subject));
    expect(found.map((item) => item?.reason)).toEqual(subjects.map(() => 'It is too much.'));
    return found.map((item) => item?.section);
  };
  expect(await sections('super_admin')).toEqual(['queue', 'backups', 'health']);
  expect(await sections('admin')).toEqual(['queue', 'alerts', 'alerts']);
});

it('reads everything in one statement', async () => {
  const { id } = await makeAdmin({ role: 'super_admin' });
  const headers = { cookie: (await makeSession(id)).cookie, 'sec-fetch-site': 'same-origin' };
  const context = createContext(new Request('http://localhost/', { headers }));
  await context.identify();
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  await appRouter.createCaller(context).overview.attention({});
  const texts = spy.mock.calls.map(([query]) => (query as unknown as { text?: string }).text ?? '');
  spy.mockRestore();
  expect(texts.filter((text) => /\b(alert|webhook|mailbox|dns_record)\b/.test(text))).toHaveLength(1);
});

it('tells super admins that alerts are open of which nobody is notified', async () => {
  await db.alert.updateMany({ data: { status: 'closed' } });
  expect((await attentionFor('super_admin')).notifies_nobody).toBe(false);
  await openSystemAlerts([`Free disk space (${unique()}.example)`]);
  expect((await attentionFor('super_admin')).notifies_nobody).toBe(true);
  expect((await attentionFor('admin')).notifies_nobody).toBe(false);
  await makeWebhook({ events: ['system.alert'] });
  expect((await attentionFor('super_admin')).notifies_nobody).toBe(false);
});

it('lists services whose files aren’t as generated, to super admins only', async () => {
  const host = `${unique()}.example`;
  const about = {
    host,
    state: 'running' as const,
    since: new Date(),
    message: '',
    driftMessage: '',
    checkedAt: new Date(),
  };
  const drift = [{ path: 'postfix/main.cf', kind: 'changed' }];
  await db.mailService.createMany({
    data: [
      { ...about, service: 'postfix', drift },
      { ...about, service: 'redis', drift: [] },
      { ...about, service: 'rspamd' },
    ],
  });
  const found = async (role: Role) => (await attentionFor(role)).items.filter(({ kind }) => kind === 'files_differ');
  expect(await found('super_admin')).toMatchObject([
    {
      section: 'services',
      severity: 'warning',
      subject: `postfix on ${host}`,
      reason: 'postfix/main.cf isn’t as the settings generate it.',
    },
  ]);
  expect(await found('admin')).toEqual([]);
  await db.mailService.deleteMany({ where: { host } });
});
