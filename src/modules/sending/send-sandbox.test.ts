import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import nodemailer from 'nodemailer';
import { afterAll, describe, expect, it } from 'vitest';
import { mtaKind } from '@/server/settings/mta-kind';
import { dataDir, db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { bounceMail } from '@/test/mail/bounce-mail';
import { keyClient } from '@/test/rest';
import { setSettings } from '@/test/settings';
import { freePort } from '../../../scripts/process/free-port.mjs';
import { outboundMta } from './submission/mta';
import { startSandboxSmtp } from './submission/sandbox-smtp';

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

const inboundPort = await freePort();
setSettings({ SANDBOX_SMTP_PORT: String(inboundPort) });
const endSmtp = await startSandboxSmtp();

afterAll(async () => {
  await endSmtp();
  await (await outboundMta())?.close();
});

it('without SMTP_URL the sandbox stores each message as submitted, under its queue id', async () => {
  const domain = await makeDomain();
  const api = await keyClient();
  const body = {
    from: { email: `a@${domain.name}` },
    to: [{ email: 'b@far.example' }],
    subject: 'Kept',
    text_body: '.\nHello',
  };
  const answers = await Promise.all(Array.from({ length: 5 }, () => api.post('/send', body)));
  expect(mtaKind()).toBe('sandbox');
  const messages = (await api.get(`/messages?domain_id=${domain.id}`)).data;
  for (const { data } of answers) {
    const { queue_id: queueId } = messages.find(
      (message: { message_id: string }) => message.message_id === data.message_id,
    );
    const kept = await readFile(path.join(dataDir, 'sandbox', `${queueId}.eml`), 'utf8');
    expect(kept).toContain(data.message_id);
    expect(kept).toContain('\r\n\r\n.\r\nHello');
  }
  const files = await readdir(path.join(dataDir, 'sandbox'));
  expect(files.filter((file) => file.endsWith('.eml'))).toHaveLength(5);
});

it('a message is traced from the call to the outcome of each recipient', async () => {
  const domain = await makeDomain();
  const api = await keyClient();
  const to = ['ann@far.example', 'bo@bounce.test', 'cy@defer.test'];
  const { data } = await api.post('/send', {
    from: { email: `a@${domain.name}` },
    to: to.map((email) => ({ email })),
    subject: 'Three ways',
    text_body: 'Hello',
  });
  const list = async () => (await api.get(`/messages?message_id=${encodeURIComponent(data.message_id)}`)).data;
  await expect.poll(async () => (await list())[0].status).toBe('deferred');
  await expect.poll(async () => (await db.event.findMany({ where: { domainId: domain.id } })).length).toBe(4);
  const shown = (await api.get(`/messages/${(await list())[0].id}`)).data;
  const statuses = shown.recipients.map(({ address, status }: { address: string; status: string }) => [
    address,
    status,
  ]);
  expect(Object.fromEntries(statuses)).toEqual({
    'ann@far.example': 'delivered',
    'bo@bounce.test': 'bounced',
    'cy@defer.test': 'deferred',
  });
  const types = shown.events.map(({ type }: { type: string }) => type);
  expect(types.slice(0, 2)).toEqual(['accepted', 'queued']);
  expect(types.slice(2).sort()).toEqual(['bounced', 'deferred', 'delivered']);
});

it('mail for a managed domain is received on SANDBOX_SMTP_PORT', async () => {
  const domain = await makeDomain();
  await db.mailbox.create({ data: { domainId: domain.id, localPart: 'ann', passwordHash: 'x' } });
  const api = await keyClient();
  const client = nodemailer.createTransport({ host: '127.0.0.1', port: inboundPort, ignoreTLS: true });
  await client.sendMail({ from: 'bo@far.example', to: `ann@${domain.name}`, subject: 'In', text: 'Hello' });
  client.close();
  expect((await api.get(`/messages?domain_id=${domain.id}`)).data).toMatchObject([
    { direction: 'inbound', status: 'received', from: 'bo@far.example', subject: 'In' },
  ]);
});

describe('mail to a managed domain', () => {
  const sendTo = async (
    api: Awaited<ReturnType<typeof keyClient>>,
    domain: { name: string },
    to: string[],
    text = 'Hi',
  ) =>
    api.post('/send', {
      from: { email: `shop@${domain.name}` },
      to: to.map((email) => ({ email })),
      subject: 'To ourselves',
      text_body: text,
    });
  const outboundOf = async (domainId: string) =>
    db.message.findFirstOrThrow({ where: { domainId, direction: 'outbound' }, include: { recipients: true } });
  const inboundOf = (domainId: string) => db.message.findMany({ where: { domainId, direction: 'inbound' } });

  it('is delivered to mailboxes and bounces for unknown addresses; other recipients are unaffected', async () => {
    const [domain, other] = [await makeDomain(), await makeDomain()];
    await db.mailbox.create({ data: { domainId: other.id, localPart: 'ann', passwordHash: 'x' } });
    const api = await keyClient();
    const { data } = await sendTo(api, domain, [`Ann@${other.name}`, `nobody@${other.name}`, 'bo@far.example']);
    await expect.poll(async () => (await outboundOf(domain.id)).status).toBe('bounced');
    const sent = await outboundOf(domain.id);
    expect(
      Object.fromEntries(sent.recipients.map(({ address, status, enhancedCode }) => [address, [status, enhancedCode]])),
    ).toEqual({
      [`Ann@${other.name}`]: ['delivered', '2.0.0'],
      [`nobody@${other.name}`]: ['bounced', '5.1.1'],
      'bo@far.example': ['delivered', '2.0.0'],
    });
    const received = await inboundOf(other.id);
    expect(received).toMatchObject([
      { messageId: data.message_id, status: 'received', toAddresses: [`ann@${other.name}`], subject: 'To ourselves' },
    ]);
    const events = await db.event.findMany({ where: { domainId: other.id } });
    expect(events.map(({ type }) => type)).toEqual(['mail.received']);
  });

  it('is received once, even if its report is repeated', async () => {
    const domain = await makeDomain();
    await db.mailbox.create({ data: { domainId: domain.id, localPart: 'ann', passwordHash: 'x' } });
    await db.$executeRawUnsafe(`
      CREATE FUNCTION refuse_report() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$`);
    await db.$executeRawUnsafe(`
      CREATE TRIGGER refuse_report BEFORE INSERT ON message_event FOR EACH ROW WHEN (NEW.type = 'delivered')
      EXECUTE FUNCTION refuse_report()`);
    await sendTo(await keyClient(), domain, [`ann@${domain.name}`]);
    await expect.poll(async () => (await inboundOf(domain.id)).length).toBe(1);
    await db.$executeRawUnsafe('DROP TRIGGER refuse_report ON message_event');
    await expect.poll(async () => (await outboundOf(domain.id)).status).toBe('delivered');
    expect(await inboundOf(domain.id)).toHaveLength(1);
  });

  it('through an alias to an external address is delivered and not forwarded', async () => {
    const domain = await makeDomain();
    await db.alias.create({
      data: { domainId: domain.id, sourceLocalPart: 'out', destination: `shop@${domain.name}.far.example` },
    });
    await sendTo(await keyClient(), domain, [`out@${domain.name}`]);
    await expect.poll(async () => (await outboundOf(domain.id)).status).toBe('delivered');
    expect(await inboundOf(domain.id)).toMatchObject([{ status: 'received', toAddresses: [`out@${domain.name}`] }]);
    expect(await db.event.count({ where: { domainId: domain.id, type: 'mail.received' } })).toBe(0);
  });

  it('is marked as spam if the text contains the GTUBE line, encoded or not', async () => {
    const domain = await makeDomain();
    await db.mailbox.create({ data: { domainId: domain.id, localPart: 'ann', passwordHash: 'x' } });
    const api = await keyClient();
    for (const text of [GTUBE, `${'日本語 '.repeat(30)}\n${GTUBE}`, `naïve ${'long '.repeat(300)}\n${GTUBE}`]) {
      await sendTo(api, domain, [`ann@${domain.name}`], text);
    }
    await expect
      .poll(async () => (await inboundOf(domain.id)).map(({ status }) => status))
      .toEqual(['spam', 'spam', 'spam']);
  });
});

it('a report that comes back to the envelope sender makes a delivered message bounced', async () => {
  const domain = await makeDomain();
  const api = await keyClient();
  const { data } = await api.post('/send', {
    from: { email: `a@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Returned later',
    text_body: 'Hello',
  });
  const shown = async () => (await api.get(`/messages?message_id=${encodeURIComponent(data.message_id)}`)).data[0];
  await expect.poll(async () => (await shown()).status).toBe('delivered');
  const spooled = JSON.parse(await readFile(path.join(dataDir, 'sandbox', `${(await shown()).queue_id}.json`), 'utf8'));
  expect(spooled.mailFrom).toMatch(/^bounces\+/);
  const client = nodemailer.createTransport({ host: '127.0.0.1', port: inboundPort, ignoreTLS: true });
  await client.sendMail({ envelope: { from: '', to: spooled.mailFrom }, raw: bounceMail() });
  client.close();
  expect((await shown()).status).toBe('bounced');
});
