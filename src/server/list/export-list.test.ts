import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, it } from 'vitest';
import { listMailboxes } from '@/modules/mailboxes/service';
import { createContext } from '@/server/procedures/context';
import { db } from '@/test/database';
import {
  makeAbandonedDelivery,
  makeAdmin,
  makeAlias,
  makeApiKey,
  makeDomain,
  makeMailbox,
  makeWebhook,
  unique,
} from '@/test/factories';
import { startAgent } from '@/test/mail/agent';
import { type QueueFile, queueFile, queueInMemory } from '@/test/mail/queued-mail';
import { expectError, keyClient } from '@/test/rest';
import { exportList } from './export-list';

const files: QueueFile[] = [];
const endAgent = await startAgent(db, queueInMemory(files));
afterAll(endAgent);

type Api = Awaited<ReturnType<typeof keyClient>>;

async function download(api: Api, path: string) {
  const response = await api.download(path);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const rows: Record<string, string>[] = parse(text, { columns: true });
  return { response, text, rows };
}

function makeMessage(domainId: string, over: { subject?: string; createdAt?: Date; status?: 'sent' | 'bounced' } = {}) {
  const { subject = 'Hello', status = 'sent', createdAt } = over;
  const data = {
    messageId: `<${unique()}@post.example>`,
    ...{ domainId, direction: 'outbound' as const, fromAddress: 'shop@post.example', subject, sizeBytes: 100, status },
    toAddresses: ['ann@far.example', 'bo@far.example'],
    createdAt,
    recipients: { create: [{ address: 'ann@far.example', kind: 'to' as const, status }] },
  };
  return db.message.create({ data });
}

const makeMany = (domainId: string, count: number, prefix: string) =>
  db.mailbox.createMany({
    data: Array.from({ length: count }, (_, i) => ({ domainId, localPart: `${prefix}${i}`, passwordHash: 'x' })),
  });

it('begins with a byte order mark, by which spreadsheet programs know UTF-8', async () => {
  const response = await (await keyClient({ role: 'admin' })).download('/domains/export');
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
});

describe('the export of a list', () => {
  it('has its rows in its order, by the same filters, in a file with the date', async () => {
    const api = await keyClient();
    const domain = await makeDomain();
    await makeMessage(domain.id, { subject: 'First', status: 'bounced', createdAt: new Date('2026-01-01') });
    await makeMessage(domain.id, { subject: 'Second', createdAt: new Date('2026-01-02') });
    await makeMessage(domain.id, { subject: 'Third', status: 'bounced', createdAt: new Date('2026-01-03') });
    const filters = `?domain_id=${domain.id}&status=bounced&order=asc`;
    const { response, rows } = await download(api, `/messages/export${filters}&format=csv`);
    const { data } = await api.get(`/messages${filters}`);
    expect(rows.map(({ id }) => id)).toEqual(data.map(({ id }: { id: string }) => id));
    expect(rows.map(({ subject }) => subject)).toEqual(['First', 'Third']);
    expect(rows[0]).toMatchObject({ to: 'ann@far.example, bo@far.example', outcomes: '1 bounced', queue_id: '' });
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="messages-\d{4}-\d\d-\d\d\.csv"$/,
    );
    expect(response.headers.get('x-row-limit')).toBe('100000');
    expect(response.headers.get('x-row-limit-reached')).toBe('false');
  });

  it('exists for mailboxes, domains, admins, API keys, deliveries, alerts and the queue', async () => {
    const api = await keyClient();
    const domain = await makeDomain();
    const mailbox = await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'bo', { active: false });
    const admin = await makeAdmin({ role: 'domain_admin', domainIds: [domain.id] });
    const name = unique();
    const { row: key } = await makeApiKey(admin.id, { name, scopedDomainIds: [domain.id] });
    const webhook = await makeWebhook();
    const delivery = await makeAbandonedDelivery(webhook.id);
    const alert = { kind: 'volume_spike', severity: 'warning', subject: domain.name, domainId: domain.id } as const;
    const { id: alertId } = await db.alert.create({ data: { ...alert, count: 9, expected: 1, day: new Date() } });
    files.push(queueFile({ queue_id: '4jWsM30000zMFgn' }));
    files.push(queueFile({ queue_id: '4jWsM30001zMFgn', queue_name: 'hold' }));

    const rowsOf = async (path: string) => (await download(api, path)).rows;
    expect(await rowsOf(`/mailboxes/export?domain_id=${domain.id}&active=true`)).toMatchObject([
      { id: mailbox.id, email: `ann@${domain.name}`, quota_bytes: 'unlimited', suspended: 'false' },
    ]);
    expect(await rowsOf(`/domains/export?q=${domain.name}`)).toMatchObject([{ id: domain.id, mailbox_count: '2' }]);
    expect(await rowsOf('/admins/export?sort=email')).toContainEqual(
      expect.objectContaining({ id: admin.id, role: 'domain_admin', domain_ids: domain.id }),
    );
    expect(await rowsOf(`/api-keys/export?q=${name}`)).toMatchObject([
      { id: key.id, admin_email: admin.email, scoped_domain_ids: domain.id },
    ]);
    expect(await rowsOf(`/webhooks/${webhook.id}/deliveries/export?status=abandoned`)).toMatchObject([
      { id: delivery.id, event: 'mail.sent', last_status_code: '' },
    ]);
    expect(await rowsOf(`/webhooks/${webhook.id}/deliveries/export?status=delivered`)).toEqual([]);
    expect(await rowsOf(`/abuse/alerts/export?domain_id=${domain.id}`)).toMatchObject([{ id: alertId, count: '9' }]);
    expect(await rowsOf('/queue/export?queue=hold')).toMatchObject([
      { queue_id: '4jWsM30001zMFgn', recipients: 'ann@far.example', reason: expect.stringContaining('Greylisted') },
    ]);
  });

  it('has the rows of the caller’s domains only', async () => {
    const [own, foreign] = [await makeDomain(), await makeDomain()];
    for (const { id } of [own, foreign]) {
      await makeMessage(id);
      await makeMailbox(id, 'ann');
    }
    const assigned = await keyClient({ role: 'domain_admin', domainIds: [own.id] });
    const scoped = await keyClient({ scopedDomainIds: [own.id] });
    for (const api of [assigned, scoped]) {
      for (const path of ['/messages/export', '/mailboxes/export']) {
        const { rows } = await download(api, path);
        expect(rows.map(({ domain_id: id }) => id)).toEqual([own.id]);
      }
      expect((await download(api, '/domains/export')).rows.map(({ id }) => id)).toEqual([own.id]);
    }
    expectError(await assigned.get(`/messages/export?domain_id=${foreign.id}`), 403, 'FORBIDDEN');
    expectError(await scoped.get(`/mailboxes/export?domain_id=${foreign.id}`), 403, 'API_KEY_DOMAIN_SCOPE');
    expectError(await assigned.get('/queue/export'), 403, 'FORBIDDEN');
    expectError(await scoped.get('/admins/export'), 403, 'API_KEY_DOMAIN_SCOPE');
  });

  it('has no cell that a spreadsheet evaluates', async () => {
    const api = await keyClient();
    const domain = await makeDomain();
    await makeMessage(domain.id, { subject: '=HYPERLINK("https://far.example")' });
    const { text } = await download(api, `/messages/export?domain_id=${domain.id}`);
    expect(text).toContain(`"'=HYPERLINK(""https://far.example"")"`);
    expect(text).not.toMatch(/(^|,)"?=/m);
  });

  it('takes no page parameters, and reports an error before it begins', async () => {
    const api = await keyClient();
    for (const query of ['limit=5', 'cursor=x', 'total=true', 'format=xlsx', 'sort=size']) {
      expectError(await api.get(`/messages/export?${query}`), 400, 'VALIDATION_ERROR');
    }
    const missing = '019ac000-0000-7000-8000-000000000000';
    expectError(await api.get(`/mailboxes/export?domain_id=${missing}`), 404, 'DOMAIN_NOT_FOUND');
    expectError(await api.get(`/webhooks/${missing}/deliveries/export`), 404, 'NOT_FOUND');
  });

  it('has every row of many pages once, also while rows are added and deleted', async () => {
    const api = await keyClient();
    const domain = await makeDomain();
    await makeMany(domain.id, 1_300, 'old');
    const before = await db.mailbox.findMany({ where: { domainId: domain.id }, select: { id: true, localPart: true } });
    const response = await api.download(`/mailboxes/export?domain_id=${domain.id}&sort=local_part&order=asc`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    for (let round = 0; ; round++) {
      const { done, value } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
      if (round > 2) continue;
      await makeMany(domain.id, 40, `new${round}-`);
      await makeMany(domain.id, 40, `a${round}-`);
      await db.mailbox.deleteMany({ where: { domainId: domain.id, localPart: `old${900 + round}` } });
    }
    const exported: { id: string }[] = parse(text, { columns: true });
    const ids = exported.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const kept = before.filter(({ localPart }) => !/^old90[0-2]$/.test(localPart));
    expect(kept.filter(({ id }) => !ids.includes(id))).toEqual([]);
  });

  it('stops at its row limit and says so, also for a search that isn’t counted', async () => {
    const ctx = await contextOf();
    const domain = await makeDomain();
    for (let i = 0; i < 7; i++) await makeMailbox(domain.id, `${i}box`);
    const lines = ['local_part', '0box', '1box', '2box', '3box', '4box', '5box', '6box'];
    for (const q of [undefined, `box@${domain.name}`]) {
      for (const maxRows of [6, 7]) {
        const filters = { domain_id: domain.id, q, sort: 'local_part', order: 'asc' } as const;
        ctx.response.headers = new Headers();
        const file = await exportList(
          ctx,
          { path: '/mailboxes', csv: ['local_part'] },
          (part) => listMailboxes(ctx, { ...filters, ...part }),
          { maxRows },
        );
        expect(await linesOf(file.chunks)).toEqual(lines.slice(0, maxRows + 1));
        expect(ctx.response.headers.get('x-row-limit')).toBe(String(maxRows));
        expect(ctx.response.headers.get('x-row-limit-reached')).toBe(String(maxRows < 7));
      }
    }
  });
});

async function contextOf() {
  const { admin } = await keyClient();
  const ctx = createContext(new Request('http://localhost:3000/'));
  return { ...ctx, actor: { admin, session: null, key: null, assignedDomainIds: [], writtenTo: null } };
}

async function linesOf(chunks: AsyncIterable<string | Uint8Array>): Promise<string[]> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text.trimEnd().split('\r\n');
}

it('an export of aliases follows the filters and the order of the list', async () => {
  const api = await keyClient();
  const domain = await makeDomain();
  await makeAlias(domain.id, 'one', 'ann@far.example');
  await makeAlias(domain.id, 'two', 'ann@far.example', { active: false });
  await makeAlias(domain.id, 'three', 'bo@far.example');
  const sources = async (query: string) =>
    (await download(api, `/aliases/export?domain_id=${domain.id}${query}`)).rows.map((row) => row.source_local_part);
  expect(await sources('')).toEqual(['one', 'three', 'two']);
  expect(await sources('&sort=source_local_part&order=desc')).toEqual(['two', 'three', 'one']);
  expect(await sources('&active=true&format=csv')).toEqual(['one', 'three']);
  expect(await sources('&q=ann@far.example')).toEqual(['one', 'two']);
});

it('an export of the audit log has the entries that match, and else all of them', async () => {
  const api = await keyClient();
  const name = `${unique()}.example`;
  const { data } = await api.post('/domains', { name });
  await api.patch(`/domains/${data.id}`, { description: 'One' });
  await api.patch(`/domains/${data.id}`, { description: 'Two' });
  const actions = async (query: string) =>
    (await download(api, `/audit/export?format=csv${query}`)).rows.map(({ action }) => action);
  const about = `&resource=domain:${data.id}`;
  expect(await actions(about)).toEqual(['domain.create', 'domain.update', 'domain.update']);
  expect(await actions(`${about}&order=desc`)).toEqual(['domain.update', 'domain.update', 'domain.create']);
  expect(await actions(`${about}&action=domain.create`)).toEqual(['domain.create']);
  expect((await actions('')).length).toBe(await db.auditEntry.count());
});
