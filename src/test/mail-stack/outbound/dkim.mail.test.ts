import { beforeEach, describe, expect, it } from 'vitest';
import { type Client, expectError, keyClient } from '../../rest';
import { whileAgentStopped } from '../support/agent';
import { callApp } from '../support/app';
import { makeDomain, makeMailbox, newName, PASSWORD } from '../support/directory';
import { activateKey, publishKeys, publishRecord, redis, signaturesOf } from '../support/dkim-keys';
import { waitForMessage } from '../support/imap-session';
import { db, startRemoteServer } from '../support/mail-server';
import { whileStopped } from '../support/services';
import { messageText, openInbound, openSmtp, openSubmission } from '../support/smtp-session';

const remoteServer = await startRemoteServer();
let domain: { id: string; name: string };
const at = (local: string) => `${local}@${domain.name}`;

beforeEach(async () => {
  domain = await makeDomain();
  await makeMailbox(domain.id, 'ann');
});

async function submit(session: Awaited<ReturnType<typeof openSubmission>>) {
  const to = `${newName()}@far.example`;
  const answer = await session.send(at('ann'), [to], messageText({ from: `Ann <${at('ann')}>`, to, subject: 'Hello' }));
  return { to, answer };
}

const post = (api: Client, to: string) =>
  api.post('/send', { from: { email: at('app') }, to: [{ email: to }], subject: 'Hello', text_body: 'Good morning.' });

/** Sends over the API, like {@link submit}. */
async function sendByApi(api: Client) {
  const to = `${newName()}@far.example`;
  const { status, error } = await post(api, to);
  return { to, answer: status === 200 ? '250 ' : JSON.stringify(error) };
}

async function receivedSignatures({ to, answer }: { to: string; answer: string }) {
  expect(answer).toMatch(/^250 /);
  await expect.poll(() => receivedCopies(to).length).toBe(1);
  return signaturesOf(receivedCopies(to)[0]?.raw ?? Buffer.alloc(0));
}

function receivedCopies(to: string) {
  return remoteServer.received.filter(({ rcptTo }) => rcptTo.includes(to));
}

describe('outbound mail', () => {
  it('is signed with the newest key of its domain: RSA, then Ed25519, then after a rotation', async () => {
    const session = await openSubmission(at('ann'), PASSWORD);
    await activateKey(domain.name, 'one');
    expect(await receivedSignatures(await submit(session))).toEqual([`pass rsa-sha256 by one.${domain.name}`]);
    await activateKey(domain.name, 'two', 'ed25519');
    expect(await receivedSignatures(await submit(session))).toEqual([`pass ed25519-sha256 by two.${domain.name}`]);
    await activateKey(domain.name, 'three');
    expect(await receivedSignatures(await submit(session))).toEqual([`pass rsa-sha256 by three.${domain.name}`]);
  });

  it('stays signed with the references of a long conversation', async () => {
    await activateKey(domain.name, 'one');
    const session = await openSubmission(at('ann'), PASSWORD);
    const to = `${newName()}@far.example`;
    const ids = Array.from({ length: 60 }, () => `<${newName()}.${'0'.repeat(40)}@mail.far.example>`);
    const text = messageText({ from: at('ann'), to, subject: 'Re: Hello' });
    const answer = await session.send(
      at('ann'),
      [to],
      `References: ${ids.join('\n ')}\nIn-Reply-To: ${ids.at(-1)}\n${text}`,
    );
    expect(await receivedSignatures({ to, answer })).toEqual([`pass rsa-sha256 by one.${domain.name}`]);
    const [signed] = /\bh=[^;]+/.exec(String(receivedCopies(to)[0]?.raw)) ?? [];
    expect(signed).toMatch(/subject/i);
    expect(signed).not.toMatch(/references|in-reply-to/i);
  });

  it('of a new or restored domain is signed with its key as soon as the call returns, over the API and by SMTP', async () => {
    const app = await callApp();
    const api = await keyClient();
    for (let round = 0; round < 5; round++) {
      domain = await app.domains.create({ name: `${newName()}.example` });
      const [key] = (await app.domains.dkimKeys({ id: domain.id })).items;
      if (!key) throw new Error('The new domain has no key.');
      publishRecord(key);
      const signed = [`pass rsa-sha256 by ${key.selector}.${domain.name}`];
      expect(await receivedSignatures(await sendByApi(api))).toEqual(signed);

      await app.domains.delete({ id: domain.id });
      await expect.poll(() => redis.hget('dkim_selectors', domain.name)).toBeNull();
      const [deleted] = (await app.deletedRecords.list({ q: domain.name })).items;
      await app.deletedRecords.restore({ id: deleted?.id ?? '' });
      expect(await receivedSignatures(await sendByApi(api))).toEqual(signed);
    }
    domain = await app.domains.create({ name: `${newName()}.example` });
    await makeMailbox(domain.id, 'ann');
    expect((await submit(await openSubmission(at('ann'), PASSWORD))).answer).toMatch(/^250 /);
  });

  it('of a domain that is created while the agent is stopped is refused, and the reply says what to check', async () => {
    const app = await callApp();
    const api = await keyClient();
    await whileAgentStopped(async () => {
      domain = await app.domains.create({ name: `${newName()}.example` });
      const refused = expectError(await post(api, `${newName()}@far.example`), 500, 'SEND_FAILED');
      expect(refused.error.details).toMatchObject({
        outcome: 'refused',
        smtp_code: 451,
        response: expect.stringContaining('Check that the mail agent and Redis are running'),
      });
    });
  });

  it('is signed with the active key while another is pending, and with a retired key once activated again', async () => {
    await activateKey(domain.name, 'one');
    const app = await callApp();
    publishRecord(await app.domains.rotateDkim({ id: domain.id, selector: 'two' }));
    await publishKeys();
    const session = await openSubmission(at('ann'), PASSWORD);
    expect(await receivedSignatures(await submit(session))).toEqual([`pass rsa-sha256 by one.${domain.name}`]);
    for (const selector of ['two', 'one']) {
      await app.domains.activateDkim({ id: domain.id, selector });
      await publishKeys();
      const signatures = await receivedSignatures(await submit(session));
      expect(signatures).toEqual([`pass rsa-sha256 by ${selector}.${domain.name}`]);
    }
  });

  it('of a deleted and recreated domain is signed with the new key under the same selector', async () => {
    const app = await callApp();
    await activateKey(domain.name, 'same');
    await db.mailbox.deleteMany({ where: { domainId: domain.id } });
    await app.domains.delete({ id: domain.id });
    await publishKeys();
    expect(await redis.hget('dkim_keys', `same.${domain.name}`)).toBeNull();
    expect(await redis.hget('dkim_selectors', domain.name)).toBeNull();

    domain = await makeDomain({ name: domain.name });
    await makeMailbox(domain.id, 'ann');
    const session = await openSubmission(at('ann'), PASSWORD);
    expect((await submit(session)).answer).toMatch(/^451 4\.7\.1 /);
    await activateKey(domain.name, 'same');
    expect(await receivedSignatures(await submit(session))).toEqual([`pass rsa-sha256 by same.${domain.name}`]);
  });

  it('is signed after Redis lost its data, once the keys are published again', async () => {
    await activateKey(domain.name, 'one');
    const session = await openSubmission(at('ann'), PASSWORD);
    await redis.del('dkim_keys', 'dkim_selectors', 'postroom:dkim_ids', 'postroom:dkim_version');
    // The agent may publish them first.
    await publishKeys();
    expect(await receivedSignatures(await submit(session))).toEqual([`pass rsa-sha256 by one.${domain.name}`]);
  });

  it('of a subdomain is signed with its own key', async () => {
    await activateKey(domain.name, 'parent');
    domain = await makeDomain({ name: `sub.${domain.name}` });
    await makeMailbox(domain.id, 'ann');
    const session = await openSubmission(at('ann'), PASSWORD);
    expect((await submit(session)).answer).toMatch(/^451 /);
    await activateKey(domain.name, 'child');
    expect(await receivedSignatures(await submit(session))).toEqual([`pass rsa-sha256 by child.${domain.name}`]);
  });

  it('is deferred while the domain has no key', async () => {
    const session = await openSubmission(at('ann'), PASSWORD);
    const unsigned = await submit(session);
    expect(unsigned.answer).toMatch(/^451 4\.7\.1 /);
    await activateKey(domain.name, 'late');
    await receivedSignatures(await submit(session));
    expect(receivedCopies(unsigned.to)).toEqual([]);
  });

  it('is deferred while Redis is down, but inbound mail is not', async () => {
    await activateKey(domain.name, 'one');
    const session = await openSubmission(at('ann'), PASSWORD);
    const unsigned: string[] = [];
    await whileStopped('redis', async () => {
      const { to, answer } = await submit(session);
      unsigned.push(to);
      expect(answer).toMatch(/^451 4\.7\.1 /);
      const subject = newName();
      const inbound = await openInbound();
      const text = messageText({ from: 'x@elsewhere.example', to: at('ann'), subject });
      expect(await inbound.send('x@elsewhere.example', [at('ann')], text)).toMatch(/^250 /);
      await waitForMessage(at('ann'), subject);
    });
    await expect.poll(async () => (await submit(session)).answer, { timeout: 20_000 }).toMatch(/^250 /);
    expect(receivedCopies(unsigned[0] ?? '')).toEqual([]);
  });

  it('is deferred while Rspamd is down, like inbound mail', async () => {
    await activateKey(domain.name, 'one');
    await whileStopped('rspamd', async () => {
      const session = await openSmtp('SUBMISSIONS_PORT');
      expect(await session.signIn(at('ann'), PASSWORD)).toMatch(/^454 4\.3\.0 /);
      const inbound = await openInbound();
      expect(await inbound.recipient(at('ann'))).toMatch(/^451 4\.7\.1 /);
    });
    const session = await openSubmission(at('ann'), PASSWORD);
    expect((await submit(session)).answer).toMatch(/^250 /);
  });
});
