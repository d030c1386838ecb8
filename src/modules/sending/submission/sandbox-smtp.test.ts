import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dataDir, db } from '@/test/database';
import { makeAdmin, makeApiKey, makeDomain, makeMailbox, makeSuppression } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { setSettings } from '@/test/settings';
import { freePort } from '../../../../scripts/process/free-port.mjs';
import { outboundMta } from './mta';
import { startSandboxSmtp } from './sandbox-smtp';

const PYTHON = `
import smtplib, ssl, sys
from email.message import EmailMessage
port, key, sender, to, trusted = sys.argv[1:]
message = EmailMessage()
message['From'], message['To'], message['Bcc'], message['Subject'] = sender, to, 'secret@far.example', 'From Python'
message.set_content('Good morning.')
context = ssl.create_default_context(cafile=trusted)
context.verify_flags |= ssl.VERIFY_X509_STRICT
with smtplib.SMTP('127.0.0.1', int(port)) as server:
    server.starttls(context=context)
    server.login('apikey', key)
    server.sendmail(sender, [to, 'secret@far.example'], message.as_bytes())
`;

const port = await freePort();
setSettings({ SANDBOX_SMTP_PORT: String(port), MAX_MESSAGE_SIZE_MB: '1' });
const api = await keyClient();
const trusted = path.join(dataDir, 'sandbox/tls/tls-certificate.pem');
let end: () => Promise<void>;
let domain: { id: string; name: string };
let admin: { id: string; email: string };
let key: string;
let keyId: string;

beforeAll(async () => {
  end = await startSandboxSmtp();
});

afterAll(async () => {
  await end();
  await (await outboundMta())?.close();
});

beforeEach(async () => {
  domain = await makeDomain();
  admin = await makeAdmin();
  ({ key, keyId } = await makeKey());
});

async function makeKey(over: Parameters<typeof makeApiKey>[1] = {}) {
  const made = await makeApiKey(admin.id, over);
  return { key: made.key, keyId: made.row.id };
}

const at = (local: string) => `${local}@${domain.name}`;

async function transport(pass: string | null = key) {
  return nodemailer.createTransport({
    host: '127.0.0.1',
    port,
    requireTLS: true,
    tls: { ca: await readFile(trusted, 'utf8') },
    ...(pass !== null && { auth: { user: 'apikey', pass } }),
  });
}

type Mail = Parameters<Awaited<ReturnType<typeof transport>>['sendMail']>[0];
const MAIL: () => Mail = () => ({
  from: `Shop <${at('Shop')}>`,
  to: 'ann@far.example',
  subject: 'Grüße',
  text: 'Good morning.',
});

/** Sends with the key. @returns the reply of the server, also if it refuses */
async function send(over: Mail = {}, pass: string | null = key): Promise<string> {
  const client = await transport(pass);
  const sent = client.sendMail({ ...MAIL(), ...over });
  return sent
    .then(({ response }) => response)
    .catch((error) => error.response ?? Promise.reject(error))
    .finally(() => client.close());
}

const sentMessages = async () => (await api.get(`/messages?domain_id=${domain.id}&direction=outbound`)).data;
const shown = async () => (await api.get(`/messages/${(await sentMessages())[0].id}`)).data;

describe('an API key sends to the sandbox by SMTP', () => {
  it('with nodemailer, which trusts the certificate, like by POST /send', async () => {
    expect(await send({ headers: { 'X-Order': '1042' } })).toMatch(/^250 2\.0\.0 Ok: queued as \w+$/);
    await expect.poll(async () => (await shown()).status).toBe('delivered');
    const message = await shown();
    expect(message).toMatchObject({
      from: at('Shop'),
      to: ['ann@far.example'],
      subject: 'Grüße',
      recipients: [{ address: 'ann@far.example', status: 'delivered' }],
    });
    expect(message.events.map(({ type }: { type: string }) => type)).toEqual(['accepted', 'queued', 'delivered']);
    expect(await db.message.findUnique({ where: { id: message.id } })).toMatchObject({ apiKeyId: keyId });
    expect(await db.auditEntry.findFirst({ where: { resource: `message:${message.id}` } })).toMatchObject({
      action: 'message.send',
      outcome: 'success',
      apiKeyId: keyId,
      adminId: admin.id,
      ipAddress: '127.0.0.1',
      userAgent: 'SMTP',
      details: { source: 'smtp', from: at('Shop'), subject: 'Grüße', message_id: message.message_id },
    });
    expect(await db.countedSend.count({ where: { domainId: domain.id } })).toBe(1);
    const kept = await readFile(path.join(dataDir, 'sandbox', `${message.queue_id}.eml`), 'utf8');
    expect(kept).toMatch(/^From: Shop <Shop@/m);
    expect(kept).toContain('X-Order: 1042\r\n');
    expect(await db.apiKey.findUnique({ where: { id: keyId } })).toMatchObject({ lastUsedAt: expect.any(Date) });
  });

  it('with Python’s smtplib; Bcc is hidden, and a missing Message-ID and date are added', async () => {
    await promisify(execFile)('python3', ['-c', PYTHON, String(port), key, at('shop'), 'bo@far.example', trusted]);
    const message = await shown();
    expect(message).toMatchObject({
      subject: 'From Python',
      recipients: [{ address: 'bo@far.example' }, { address: 'secret@far.example' }],
    });
    const kept = await readFile(path.join(dataDir, 'sandbox', `${message.queue_id}.eml`), 'utf8');
    expect(kept).not.toContain('secret@far.example');
    expect(kept).toContain(`Message-ID: ${message.message_id}\r\nDate: `);
    expect(kept).toContain('\r\n\r\nGood morning.\r\n');
    expect(kept).not.toMatch(/(?<!\r)\n/);
  });

  it('with tags and metadata, which the message doesn’t have', async () => {
    const items = Array.from({ length: 150 }, (_, n) => `desk-${n}`);
    const metadata = { order: 1042, note: 'Grüße', items };
    const json = JSON.stringify(metadata, null, 1);
    const headers = { 'X-Postroom-Tags': 'kind=receipt, team=shop', 'X-Postroom-Metadata': json };
    expect(await send({ headers })).toMatch(/^250 /);
    await expect.poll(async () => (await shown()).status).toBe('delivered');
    const message = await shown();
    expect(message).toMatchObject({ tags: { kind: 'receipt', team: 'shop' }, metadata });
    expect((await api.get(`/messages?domain_id=${domain.id}&tag=team:shop`)).data).toMatchObject([{ id: message.id }]);
    const kept = await readFile(path.join(dataDir, 'sandbox', `${message.queue_id}.eml`), 'utf8');
    expect(kept).not.toMatch(/postroom-|1042/i);
    const event = await db.event.findFirstOrThrow({ where: { messageRowId: message.id, type: 'mail.sent' } });
    expect(JSON.parse(String(event.body)).data).toMatchObject({ tags: message.tags, metadata });
  });

  it('and mail to its own domains arrives there', async () => {
    await makeMailbox(domain.id, 'ann');
    expect(await send({ to: at('ann') })).toMatch(/^250 /);
    const inbound = async () => (await api.get(`/messages?domain_id=${domain.id}&direction=inbound`)).data;
    await expect.poll(inbound).toMatchObject([{ status: 'received', from: at('Shop'), to: [at('ann')] }]);
  });
});

describe('the sandbox refuses', () => {
  it('keys that are wrong, revoked, expired, may not send, or not from here', async () => {
    const { key: revoked, keyId: id } = await makeKey();
    await db.apiKey.delete({ where: { id } });
    const refused = [`${key}x`, 'x', 'ä', revoked];
    const others = [{ permissions: ['read'] }, { allowedIps: ['198.51.100.1'] }, { expiresAt: new Date(0) }];
    for (const over of others) refused.push((await makeKey(over)).key);
    for (const pass of refused) expect(await send({}, pass), pass).toMatch(/^535 5\.7\.8 /);
    expect(await sentMessages()).toEqual([]);
  });

  it('a sign-in without TLS', async () => {
    const client = nodemailer.createTransport({
      host: '127.0.0.1',
      port,
      ignoreTLS: true,
      auth: { user: 'apikey', pass: key },
    });
    await expect(client.sendMail(MAIL())).rejects.toThrow();
    client.close();
    expect(await sentMessages()).toEqual([]);
  });

  it('mail to others without a sign-in', async () => {
    expect(await send({}, null)).toMatch(/^554 5\.7\.1 Relay access denied/);
  });

  it('senders and domains that the key may not use, suppressed recipients, and more than 100', async () => {
    const { key: limited } = await makeKey({ senders: [at('orders')] });
    expect(await send({}, limited)).toMatch(/^550 5\.7\.1 This API key can’t send as Shop@/);
    const { key: scoped } = await makeKey({ scopedDomainIds: [(await makeDomain()).id] });
    expect(await send({}, scoped)).toMatch(/^550 5\.7\.1 /);
    expect(await send({ from: 'x@elsewhere.example' })).toMatch(/^550 5\.7\.1 /);
    expect(await send({ envelope: { from: '', to: ['ann@far.example'] } })).toMatch(/^550 5\.7\.1 /);
    await makeSuppression(domain.id, 'ann@far.example');
    expect(await send()).toMatch(/^550 5\.7\.1 ann@far\.example is suppressed/);
    const to = Array.from({ length: 101 }, (_, n) => `r${n}@far.example`);
    const { rejected } = await (await transport()).sendMail({ ...MAIL(), to });
    expect(rejected).toEqual(['r100@far.example']);
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect(await send({ to: 'bo@far.example' })).toMatch(/^550 5\.7\.1 /);
  });

  it('other authors, invalid tags, long lines, and messages that are too large', async () => {
    const envelope = { from: at('shop'), to: ['ann@far.example'] };
    expect(await send({ envelope, from: at('ceo') })).toMatch(/^554 5\.7\.1 From must be the envelope sender/);
    expect(await send({ envelope, from: [at('shop'), at('ceo')] })).toMatch(/^554 5\.7\.1 From must be/);
    for (const name of ['Sender', 'Resent-From']) {
      const raw = `From: ${at('shop')}\r\n${name}: ${at('ceo')}\r\n\r\nHello`;
      expect(await send({ envelope, raw }), name).toMatch(/^554 5\.7\.1 Sender and Resent-From must be/);
    }
    expect(await send({ headers: { 'X-Postroom-Tags': 'receipt' } })).toMatch(
      /^554 5\.7\.1 X-Postroom-Tags: Write tags/,
    );
    const raw = `From: ${at('shop')}\r\n\r\n${'x'.repeat(999)}\r\n`;
    expect(await send({ envelope, raw })).toMatch(/^554 5\.7\.1 A line is longer than 998 characters/);
    const large = `From: ${at('shop')}\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(16_000)}`;
    expect(await send({ envelope, raw: large })).toMatch(/^552 /);
    expect(await sentMessages()).toEqual([]);
  });

  it('for now what exceeds the limit of the domain, and in the key’s next minute what exceeds the key’s', async () => {
    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit: 1 } });
    expect(await send()).toMatch(/^250 /);
    expect(await send()).toMatch(/^450 4\.7\.1 /);
    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit: 100 } });
    const { key: slow } = await makeKey({ rateLimit: 1 });
    expect(await send({}, slow)).toMatch(/^250 /);
    expect(await send({}, slow)).toMatch(/^450 4\.7\.1 /);
  });

  it('a key in an open session from its revocation on', async () => {
    const client = await transport();
    const pooled = nodemailer.createTransport({ ...client.options, pool: true, maxConnections: 1 } as object);
    await pooled.sendMail(MAIL());
    await db.apiKey.delete({ where: { id: keyId } });
    await expect(pooled.sendMail(MAIL())).rejects.toThrow(/550 5\.7\.1 This API key was revoked/);
    pooled.close();
  });
});

it('the key of the certificate is readable by its owner only, and both stay', async () => {
  const before = await readFile(trusted, 'utf8');
  expect((await stat(path.join(path.dirname(trusted), 'tls-key.pem'))).mode & 0o777).toBe(0o600);
  await end();
  end = await startSandboxSmtp();
  expect(await readFile(trusted, 'utf8')).toBe(before);
  expect(await send()).toMatch(/^250 /);
});

it('a damaged key of the certificate is replaced with it', async () => {
  const before = await readFile(trusted, 'utf8');
  await end();
  await writeFile(path.join(path.dirname(trusted), 'tls-key.pem'), 'no key');
  end = await startSandboxSmtp();
  expect(await readFile(trusted, 'utf8')).not.toBe(before);
  expect(await send()).toMatch(/^250 /);
});

it('POST /api-keys returns how to send', async () => {
  const { smtp } = (await api.post('/api-keys', { name: 'Shop', permissions: ['send'] })).data;
  expect(smtp).toEqual({ host: '127.0.0.1', ports: { tls: null, starttls: port }, user_name: 'apikey' });
});
