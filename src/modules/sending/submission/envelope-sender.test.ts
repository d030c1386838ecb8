import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import type { ShownRelay } from '@/mail/agent/requests';
import { recordHeartbeat, recordRelay } from '@/modules/mail-server/requests';
import { messageOfBounceAddress } from '@/modules/messages/returned/bounce-address';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { setSettings } from '@/test/settings';
import { submittedSender } from './envelope-sender';

const RELAY: ShownRelay = { destination: 'smtp.relay.example', user: '', tls: 'may', isTlsFromStart: false };

const mta = await startScriptedMta();
afterAll(() => mta.server.close());

const api = await keyClient();
let domain: { id: string; name: string };
let senders: string[];

beforeEach(async () => {
  domain = await makeDomain();
  senders = [];
  mta.state.script = (point, line) => {
    if (point === 'MAIL') senders.push(line.replace(/^MAIL FROM:<|>.*$/g, ''));
    return undefined;
  };
  await db.mailAgent.deleteMany();
});

const makeAgent = (host: string, relay: ShownRelay | null = null) =>
  recordHeartbeat(db, { host, instance: uuidv7(), version: '1' }, relay);

async function check(record: { purpose: string; type: string; name: string }, status: string) {
  const at = new Date();
  const row = { ...record, domainId: domain.id, position: 0, severity: 'ok', found: [], required: true, message: '' };
  await db.dnsRecord.deleteMany({ where: { domainId: domain.id, purpose: record.purpose } });
  await db.dnsRecord.create({ data: { ...row, status, changedAt: at, checkedAt: at } });
}

const checkMx = (status: string) => check({ purpose: 'mx', type: 'MX', name: domain.name }, status);
const checkSpf = (status: string, name = 'mail.shop.example') =>
  check({ purpose: 'host_spf', type: 'TXT', name }, status);

async function senderOf(over: object = {}): Promise<string> {
  const from = { email: `Orders@${domain.name}` };
  const message = { from, to: [{ email: 'ann@far.example' }], subject: 'Hello', text_body: 'Hi', ...over };
  expect((await api.post('/send', message)).status).toBe(200);
  return senders.at(-1) ?? '';
}

const bounces = (name: string) => new RegExp(`^bounces\\+[0-9a-f]{52}@${name.replaceAll('.', '\\.')}$`);

describe('the envelope sender of a message is', () => {
  it('a bounce address of its own at the domain, if its MX is this server', async () => {
    await makeAgent('mail.shop.example');
    await checkMx('ok');
    const [one, other] = [await senderOf(), await senderOf()];
    expect(one).toMatch(bounces(domain.name));
    expect(other).toMatch(bounces(domain.name));
    expect(other).not.toBe(one);
    const { id } = await db.message.findFirstOrThrow({ where: { domainId: domain.id }, orderBy: { id: 'asc' } });
    expect(one).toContain(`bounces+${id.replaceAll('-', '')}`);
  });

  it('a bounce address at the mail host with an SPF record, if the MX is elsewhere or unknown', async () => {
    await makeAgent('mail.shop.example');
    await checkSpf('ok');
    expect(await senderOf()).toMatch(bounces('mail.shop.example'));
    await checkMx('mismatch');
    expect(await senderOf()).toMatch(bounces('mail.shop.example'));
  });

  it('the sender’s address while the mail host has no SPF record that lets it send', async () => {
    await makeAgent('mail.shop.example');
    await checkMx('mismatch');
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
    for (const status of ['missing', 'mismatch', 'temporary_error']) {
      await checkSpf(status);
      expect(await senderOf(), status).toBe(`Orders@${domain.name}`);
    }
    await checkSpf('ok', 'mail.other.example');
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
  });

  it('the sender’s address where nothing comes back: without an agent, or a name that others know', async () => {
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
    await makeAgent('localhost');
    await checkSpf('ok', 'localhost');
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
    await db.mailAgent.deleteMany();
    await makeAgent('mail.inner.example');
    await checkSpf('ok', 'mail.inner.example');
    setSettings({ MAIL_HOST: 'mail.shop.example' });
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
  });

  it('the sender’s address, if mail leaves through a relay, or the agent hasn’t read yet whether it does', async () => {
    const agent = { host: 'mail.shop.example', instance: uuidv7(), version: '1' };
    await checkMx('ok');
    await recordHeartbeat(db, agent);
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
    await recordRelay(db, agent.host, null);
    expect(await senderOf()).toMatch(bounces(domain.name));
    await recordHeartbeat(db, agent);
    expect(await senderOf()).toMatch(bounces(domain.name));
    await recordHeartbeat(db, agent, RELAY);
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
    await recordHeartbeat(db, agent);
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
    await db.mailAgent.deleteMany();
    await makeAgent('mail.shop.example', RELAY);
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
  });
});

describe('a message that is submitted to the mail server', () => {
  it('gets a bounce address on the same conditions', async () => {
    const id = uuidv7();
    const senderFor = (from = `Ann@${domain.name}`) => submittedSender(db, id, from);
    expect(await senderFor()).toBeNull();
    await makeAgent('mail.shop.example');
    expect(await senderFor()).toBeNull();
    await checkSpf('ok');
    expect(await senderFor()).toMatch(bounces('mail.shop.example'));
    await checkMx('ok');
    expect(await senderFor()).toMatch(bounces(domain.name));
    expect(messageOfBounceAddress((await senderFor()) ?? '')).toBe(id);
    for (const other of ['', 'ann', 'ann@elsewhere.example']) expect(await senderFor(other), other).toBeNull();
    await recordRelay(db, 'mail.shop.example', RELAY);
    expect(await senderFor()).toBeNull();
  });
});

it('From stays as it was sent', async () => {
  await makeAgent('mail.shop.example');
  await checkSpf('ok');
  expect(await senderOf()).toMatch(bounces('mail.shop.example'));
  const message = mta.server.messages.at(-1) ?? '';
  expect(message).toContain(`From: Orders@${domain.name}`);
  expect(message).not.toContain('bounces+');
});
