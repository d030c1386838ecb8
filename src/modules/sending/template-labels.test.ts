import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mailServerCalls } from '@/modules/messages/service';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, makeSuppression, unique } from '@/test/factories';
import { ANSWERS } from '@/test/mail/reported-message';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';

const mta = await startScriptedMta();

afterAll(() => mta.server.close());

const api = await keyClient({ role: 'admin' });
let domain: { id: string; name: string };
let template: { id: string };

beforeEach(async () => {
  domain = await makeDomain();
  template = await makeTemplate();
});

afterEach(async () => {
  await db.abuseThreshold.updateMany({ data: { mailboxHourly: 200 } });
});

async function makeTemplate(): Promise<{ id: string }> {
  const variables = [{ name: 'number', type: 'number' }];
  const given = { domain_id: domain.id, name: unique(), subject: 'Order', html_body: '<p>{{ number }}</p>', variables };
  const { data } = await api.post('/templates', given);
  await api.post(`/templates/${data.id}/publish`, {});
  return data;
}

const message = (over: object = {}) => ({
  from: { email: `shop@${domain.name}` },
  to: [{ email: 'ann@far.example' }],
  template: { id: template.id, variables: { number: 7 } },
  ...over,
});

async function sendOne(over: object = {}) {
  const { status, data } = await api.post('/send', message(over));
  expect(status).toBe('send_at' in over ? 202 : 200);
  return db.message.findFirstOrThrow({ where: { messageId: data.message_id } });
}

describe('a message that was made from a template', () => {
  it('is listed, exported and found by it, alone and with other filters, and so is one that is sent later', async () => {
    const first = await sendOne({ tags: { kind: 'x' } });
    const second = await sendOne();
    template = await makeTemplate();
    await sendOne({ tags: { kind: 'x' } });
    const later = await sendOne({ send_at: new Date(Date.now() + 3_600_000).toISOString() });
    const used = { id: first.template && (first.template as { id: string }).id };
    const found = async (query: string) => (await api.get(`/messages?${query}`)).data as { id: string }[];
    const idsOf = async (query: string) => (await found(query)).map(({ id }) => id);
    expect(await idsOf(`template=${used.id}`)).toEqual([second.id, first.id]);
    expect(await idsOf(`template=${used.id}&tag=kind:x`)).toEqual([first.id]);
    expect(await idsOf(`template=${used.id}&to=ann@far.example&domain_id=${domain.id}`)).toEqual([second.id, first.id]);
    expect(await idsOf(`template=${template.id}&status=scheduled`)).toEqual([later.id]);
    expect(await found(`template=${used.id}`)).toMatchObject([{ template: { id: used.id, version: 1 } }, {}]);
    const csv = await (await api.download(`/messages/export?template=${used.id}`)).text();
    expect(csv.trim().split('\r\n')).toHaveLength(3);
    expect(csv).toContain((first.template as { name: string }).name);
    await api.delete(`/templates/${used.id}`);
    expect(await idsOf(`template=${used.id}`)).toHaveLength(2);
    const foreign = await keyClient({ role: 'domain_admin', domainIds: [(await makeDomain()).id] });
    expect((await foreign.get(`/messages?template=${used.id}`)).data).toEqual([]);
    expectError(await api.get('/messages?template=order'), 400, 'VALIDATION_ERROR');
    expectError(await api.get(`/messages?tag=@template:${used.id}`), 400, 'VALIDATION_ERROR');
  });

  it('has the template and its version in every event', async () => {
    await makeSuppression(domain.id, 'bo@far.example');
    const to = ['ann', 'bo', 'cy', 'di'].map((name) => ({ email: `${name}@far.example` }));
    mta.state.script = (point, line) =>
      point === 'RCPT' && line.includes('di@') ? { say: '550 5.1.1 No such user here\r\n' } : undefined;
    const { id, messageId, queueId, template: used } = await sendOne({ to });
    mta.state.script = () => undefined;
    const { onReport } = mailServerCalls(db);
    const report = { messageId, queueId, remoteMta: 'mx.far.example', at: new Date() };
    await onReport({ kind: 'delivered', recipient: 'ann@far.example', ...report, ...ANSWERS.delivered });
    await onReport({ kind: 'bounced', recipient: 'cy@far.example', ...report, ...ANSWERS.bounced });
    const events = await db.event.findMany({ where: { messageRowId: id }, orderBy: { type: 'asc' } });
    const bodies = events.map(({ body }) => JSON.parse(String(body)));
    expect(bodies.map(({ event, data }) => [event, data.template])).toEqual(
      ['mail.bounced', 'mail.delivered', 'mail.failed', 'mail.sent', 'mail.suppressed'].map((event) => [event, used]),
    );
    expect(used).toEqual({ id: template.id, name: expect.any(String), version: 1 });
  });
});

describe('a sender that may not send', () => {
  // The variable is missing, which rendering would say.
  const unrenderable = (over: object = {}) => message({ template: { id: template.id }, ...over });

  it('is refused before the text is made if the mailbox is suspended', async () => {
    await makeMailbox(domain.id, 'shop', { suspendedAt: new Date() });
    expectError(await api.post('/send', unrenderable()), 403, 'MAILBOX_SUSPENDED');
    const { data } = await api.post('/send/batch', { messages: [unrenderable()] });
    expect(data.results).toMatchObject([{ error: expect.stringContaining('Sending is suspended') }]);
  });

  it('is refused at its own limit by the submission, which suspends it, and from then on before the text is made', async () => {
    const { id } = await makeMailbox(domain.id, 'shop');
    await db.abuseThreshold.updateMany({ data: { mailboxHourly: 1 } });
    await sendOne();
    expectError(await api.post('/send', unrenderable()), 400, 'VALIDATION_ERROR');
    expectError(await api.post('/send', message()), 429, 'RATE_LIMIT_EXCEEDED');
    expect((await db.mailbox.findUniqueOrThrow({ where: { id } })).suspendedAt).not.toBeNull();
    expectError(await api.post('/send', unrenderable()), 403, 'MAILBOX_SUSPENDED');
  });

  it('has a message for later accepted, which is checked when it leaves', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit: 1 } });
    await sendOne();
    await sendOne({ send_at: new Date(Date.now() + 7_200_000).toISOString() });
  });
});
