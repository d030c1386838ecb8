import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { setSettings } from '@/test/settings';

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

async function makeAgent(host: string, relay?: object) {
  const now = new Date();
  await db.mailAgent.create({
    data: { host, instance: crypto.randomUUID(), version: '1', startedAt: now, beatAt: now, relay },
  });
}

async function checkMx(status: string) {
  const at = new Date();
  const record = {
    domainId: domain.id,
    purpose: 'mx',
    type: 'MX',
    name: domain.name,
    position: 0,
    status,
    severity: 'ok',
  };
  await db.dnsRecord.create({
    data: { ...record, found: ['10 mail.shop.example'], required: true, message: '', changedAt: at, checkedAt: at },
  });
}

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

  it('a bounce address at the mail host, if the MX is elsewhere or unknown', async () => {
    await makeAgent('mail.shop.example');
    expect(await senderOf()).toMatch(bounces('mail.shop.example'));
    await checkMx('mismatch');
    expect(await senderOf()).toMatch(bounces('mail.shop.example'));
  });

  it('the sender’s address where nothing comes back: without an agent, or a name that others know', async () => {
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
    await makeAgent('localhost');
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
    await db.mailAgent.deleteMany();
    await makeAgent('mail.inner.example');
    setSettings({ MAIL_HOST: 'mail.shop.example' });
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
  });

  it('at the domain only, if mail leaves through a relay', async () => {
    await makeAgent('mail.shop.example', { destination: 'smtp.relay.example' });
    expect(await senderOf()).toBe(`Orders@${domain.name}`);
    await checkMx('ok');
    expect(await senderOf()).toMatch(bounces(domain.name));
  });
});

it('From stays as it was sent', async () => {
  await makeAgent('mail.shop.example');
  expect(await senderOf()).toMatch(bounces('mail.shop.example'));
  const message = mta.server.messages.at(-1) ?? '';
  expect(message).toContain(`From: Orders@${domain.name}`);
  expect(message).not.toContain('bounces+');
});
