import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { contentSettled } from '@/modules/messages/content/keeping/keep';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, makeSuppression } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';

await makeContentStore();

const mta = await startScriptedMta();

afterAll(() => mta.server.close());

let domain: Awaited<ReturnType<typeof makeDomain>>;
let api: Awaited<ReturnType<typeof keyClient>>;
let id: string;

beforeEach(async () => {
  domain = await makeDomain();
  api = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
  const { data } = await api.post('/send', {
    from: { email: `shop@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    cc: [{ email: 'bo@far.example' }],
    bcc: [{ email: 'cy@far.example' }],
    subject: 'Your order',
    text_body: 'Hi\n.\nMessage-ID: <not@a.header>',
    headers: { 'X-Order': '42' },
  });
  await contentSettled();
  id = (await db.message.findFirstOrThrow({ where: { messageId: data.message_id } })).id;
});

const submitted = () => mta.server.messages.at(-1) as string;
const fieldsOf = (raw: string) =>
  raw
    .slice(0, raw.indexOf('\r\n\r\n'))
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
const bodyOf = (raw: string) => raw.slice(raw.indexOf('\r\n\r\n'));
const isOwn = (field: string) => /^(Message-ID|Date):/.test(field);

describe('resending a message', () => {
  it('leaves out suppressed recipients, and sends nothing if nobody is left', async () => {
    await makeSuppression(domain.id, 'bo@far.example');
    const { data } = await api.post(`/messages/${id}/resend`);
    expect(data.suppressed).toEqual([{ email: 'bo@far.example', reason: 'manual' }]);
    const recipients = await db.messageRecipient.findMany({ where: { messageId: data.id } });
    expect(recipients.map(({ address }) => address).toSorted()).toEqual(['ann@far.example', 'cy@far.example']);
    expectError(await api.post(`/messages/${id}/resend`, { to: ['bo@far.example'] }), 422, 'RECIPIENT_SUPPRESSED');
  });

  it('sends it as a new message to the same recipients, with its own Message-ID and date', async () => {
    const original = submitted();
    const { status, data } = await api.post(`/messages/${id}/resend`);
    expect(status).toBe(200);
    const copy = submitted();
    expect(fieldsOf(copy)).toContain(`Message-ID: ${data.message_id}`);
    expect(fieldsOf(copy).filter(isOwn)).toHaveLength(2);
    expect(fieldsOf(copy).filter((field) => !isOwn(field))).toEqual(
      fieldsOf(original).filter((field) => !isOwn(field)),
    );
    expect(bodyOf(copy)).toBe(bodyOf(original));
    expect(original).not.toContain(data.message_id);
    const row = await db.message.findUniqueOrThrow({ where: { id: data.id }, include: { recipients: true } });
    expect(row).toMatchObject({
      messageId: data.message_id,
      status: 'sent',
      subject: 'Your order',
      domainId: domain.id,
    });
    expect(row.recipients.map(({ address, kind }) => `${kind} ${address}`).sort()).toEqual([
      'bcc cy@far.example',
      'cc bo@far.example',
      'to ann@far.example',
    ]);
  });

  it('is recorded in the audit log with the original, and counts against the hourly limits', async () => {
    const { data, meta } = await api.post(`/messages/${id}/resend`);
    const entry = await db.auditEntry.findFirstOrThrow({ where: { requestId: meta.request_id } });
    expect(entry).toMatchObject({ action: 'message.resend', resource: `message:${data.id}`, domainId: domain.id });
    expect(entry.details).toMatchObject({ resent_from: id, message_id: data.message_id });
    expect(await db.countedSend.count({ where: { domainId: domain.id } })).toBe(2);
  });

  it('sends it to other recipients only, if the call names some', async () => {
    const { data } = await api.post(`/messages/${id}/resend`, { to: ['dan@far.example', 'DAN@FAR.example'] });
    const recipients = await db.messageRecipient.findMany({ where: { messageId: data.id } });
    expect(recipients.map(({ address }) => address)).toEqual(['dan@far.example']);
    expect(mta.server.commands.filter((line) => line.startsWith('RCPT TO')).at(-1)).toMatch(/dan@far.example/i);
    expectError(await api.post(`/messages/${id}/resend`, { to: [] }), 400, 'VALIDATION_ERROR');
    expectError(await api.post(`/messages/${id}/resend`, { to: ['no address'] }), 400, 'VALIDATION_ERROR');
    expectError(await api.post(`/messages/${id}/resend`, { from: 'a@b.example' }), 400, 'VALIDATION_ERROR');
  });

  it('keeps the content of the copy, so that it can be resent too', async () => {
    const { data } = await api.post(`/messages/${id}/resend`);
    await contentSettled();
    expect((await api.post(`/messages/${data.id}/resend`)).status).toBe(200);
  });

  it('sends once per Idempotency-Key, and returns the same after the content is gone', async () => {
    const first = await api.post(`/messages/${id}/resend`, {}, { 'idempotency-key': 'again' });
    const count = mta.server.messages.length;
    await db.messageContent.deleteMany({ where: { messageId: id } });
    const second = await api.post(`/messages/${id}/resend`, {}, { 'idempotency-key': 'again' });
    expect(second.data).toEqual(first.data);
    expect(mta.server.messages).toHaveLength(count);
    const other = { to: ['dan@far.example'] };
    const answer = await api.post(`/messages/${id}/resend`, other, { 'idempotency-key': 'again' });
    expectError(answer, 409, 'IDEMPOTENCY_CONFLICT');
  });

  it('is refused while the sender is suspended or the domain is inactive', async () => {
    const mailbox = await makeMailbox(domain.id, 'shop', { suspendedAt: new Date() });
    expectError(await api.post(`/messages/${id}/resend`), 403, 'MAILBOX_SUSPENDED');
    await db.mailbox.delete({ where: { id: mailbox.id } });
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expectError(await api.post(`/messages/${id}/resend`), 403, 'DOMAIN_INACTIVE');
  });

  it('is refused for a received message, and for one whose content is gone', async () => {
    await db.message.update({ where: { id }, data: { direction: 'inbound' } });
    expectError(await api.post(`/messages/${id}/resend`), 409, 'CONFLICT');
    await db.message.update({ where: { id }, data: { direction: 'outbound' } });
    await db.messageContent.update({ where: { messageId: id }, data: { state: 'expired' } });
    expectError(await api.post(`/messages/${id}/resend`), 404, 'CONTENT_UNAVAILABLE');
  });
});
