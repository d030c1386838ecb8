import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '@/server/secrets/crypto';
import { makeAdmin, makeApiKey, makeSuppression } from '../../factories';
import { PASSWORD } from '../support/directory';
import { activateKey } from '../support/dkim-keys';
import { signInToImap } from '../support/imap-session';
import { db, portOf } from '../support/mail-server';
import { messageText, openSmtp, openSubmission } from '../support/smtp-session';
import { api, at, domain, remoteAddress, remoteServer, traceMail, waitForEvents } from '../support/traced-mail';

const USER = 'apikey';
const PYTHON = `
import smtplib, ssl, sys
from email.message import EmailMessage
port, key, sender, to = sys.argv[1:]
message = EmailMessage()
message['From'], message['To'], message['Subject'] = sender, to, 'From Python'
message.set_content('Good morning.')
context = ssl._create_unverified_context()
with smtplib.SMTP('127.0.0.1', int(port)) as server:
    server.starttls(context=context)
    server.login('apikey', key)
    server.send_message(message)
`;

await traceMail();

let admin: { id: string; email: string };
let key: string;
let keyId: string;

beforeEach(async () => {
  await activateKey(domain.name, 'first');
  admin = await makeAdmin();
  ({ key, keyId } = await makeKey());
});

async function makeKey(over: Parameters<typeof makeApiKey>[1] = {}) {
  const made = await makeApiKey(admin.id, over);
  return { key: made.key, keyId: made.row.id };
}

const has = (to: string) => remoteServer.received.find(({ rcptTo }) => rcptTo.includes(to));

/** A session in which the key has signed in, as clients do that know only AUTH LOGIN. */
async function signedIn(secret = key) {
  const session = await openSmtp('SUBMISSIONS_PORT');
  await session.command('AUTH LOGIN');
  await session.command(Buffer.from(USER).toString('base64'));
  const reply = await session.command(Buffer.from(secret).toString('base64'));
  return { ...session, reply };
}

describe('an API key on the ports for submission', () => {
  it('sends with nodemailer, Python and AUTH LOGIN, signed, with trace, events and audit entry', async () => {
    const recipients = [remoteAddress(), remoteAddress(), remoteAddress()] as const;
    const transport = createTransport({
      host: '127.0.0.1',
      port: portOf('SUBMISSIONS_PORT'),
      secure: true,
      tls: { rejectUnauthorized: false },
      auth: { user: USER, pass: key },
    });
    await transport.sendMail({
      from: `Shop <${at('shop')}>`,
      to: recipients[0],
      subject: 'Hello',
      text: 'Good morning.',
    });
    const port = String(portOf('SUBMISSION_PORT'));
    await promisify(execFile)('python3', ['-c', PYTHON, port, key, at('shop'), recipients[1]]);
    const session = await signedIn();
    expect(session.reply).toMatch(/^235 /);
    const text = messageText({ from: at('shop'), to: recipients[2], subject: 'By LOGIN' });
    expect(await session.send(at('shop'), [recipients[2]], text)).toMatch(/^250 /);

    const events = await waitForEvents('mail.delivered', 3);
    expect(events.map(({ data }) => data.subject).toSorted()).toEqual(['By LOGIN', 'From Python', 'Hello']);
    for (const to of recipients) expect(String(has(to)?.raw)).toContain(`d=${domain.name};`);
    const { data: found } = await api.get(`/messages?q=${encodeURIComponent('By LOGIN')}`);
    const { data: message } = await api.get(`/messages/${found[0].id}`);
    expect(message).toMatchObject({ from: at('shop'), status: 'delivered', to: [recipients[2]] });
    expect(message.events[0]).toMatchObject({
      type: 'queued',
      detail: { source: 'smtp', by: admin.email, api_key_id: keyId },
    });
    expect(await db.auditEntry.findFirst({ where: { resource: `message:${message.id}` } })).toMatchObject({
      apiKeyId: keyId,
    });
    expect(await db.apiKey.findUnique({ where: { id: keyId } })).toMatchObject({ lastUsedAt: expect.any(Date) });
  });

  it('gives messages tags and metadata, as a mailbox does, and recipients don’t see them', async () => {
    const metadata = { order: 1042, note: `Grüße ${'x '.repeat(600)}end` };
    const [to, other, third] = [remoteAddress(), remoteAddress(), remoteAddress()];
    const transport = createTransport({
      host: '127.0.0.1',
      port: portOf('SUBMISSIONS_PORT'),
      secure: true,
      tls: { rejectUnauthorized: false },
      auth: { user: USER, pass: key },
    });
    const message = { from: at('shop'), subject: 'Hello', text: 'Good morning.' };
    const fields = { 'X-Postroom-Tags': 'kind=receipt, team=shop', 'X-Postroom-Metadata': JSON.stringify(metadata) };
    await transport.sendMail({ ...message, to, headers: fields });
    await transport.sendMail({ ...message, to: other, headers: { ...fields, 'X-Postroom-Tags': 'receipt' } });

    const session = await openSubmission(at('ann'), PASSWORD);
    const text = messageText({ from: at('ann'), to: third, subject: 'Hello' });
    const tags = 'x-postroom-tags : kind=note\nX-Postroom-Tags: team=shop\n';
    expect(await session.send(at('ann'), [third], tags + text)).toMatch(/^250 /);

    const events = await waitForEvents('mail.delivered', 3);
    const { data: byMailbox } = events.find(({ data }) => data.recipient === third) ?? { data: {} };
    expect(byMailbox).toMatchObject({ tags: { kind: 'note', team: 'shop' } });
    const { data: sent } = events.find(({ data }) => data.recipient === to) ?? { data: {} };
    expect(sent).toMatchObject({ tags: { kind: 'receipt', team: 'shop' }, metadata });
    const { data: untagged } = events.find(({ data }) => data.recipient === other) ?? { data: {} };
    expect(untagged).toMatchObject({ metadata });
    expect(untagged).not.toHaveProperty('tags');
    for (const address of [to, other, third]) {
      const raw = String(has(address)?.raw);
      expect(raw).toContain(`d=${domain.name};`);
      expect(raw).not.toMatch(/x-postroom|1042/i);
    }
  });

  it('can’t send as others, from elsewhere, to suppressed recipients, or with another author', async () => {
    const { key: limited } = await makeKey({ senders: [at('shop')] });
    const session = await signedIn(limited);
    const to = remoteAddress();
    const text = messageText({ from: at('shop'), to, subject: 'x' });
    expect(await session.send(at('ann'), [to], text)).toMatch(/^550 5\.7\.1 .*This API key can't send as ann@/);
    expect(await session.send('x@elsewhere.example', [to], text)).toMatch(/^550 5\.7\.1 /);
    expect(await session.send('', [to], text)).toMatch(/^550 5\.7\.1 /);
    const forged = messageText({ from: at('ceo'), to, subject: 'x' });
    expect(await session.send(at('shop'), [to], forged)).toMatch(/^554 5\.7\.1 .*From must be the envelope sender/);
    await makeSuppression(domain.id, to);
    expect(await session.send(at('shop'), [to], text)).toMatch(/^550 5\.7\.1 .*is suppressed \(manual\)/);
    expect(has(to)).toBeUndefined();
  });

  it('can’t sign in when it is wrong, may not send or not from here, nor to read mail', async () => {
    const others = [{ permissions: ['read'] }, { allowedIps: ['198.51.100.1'] }, { expiresAt: new Date(0) }];
    const refused = [`${key}x`, Buffer.from(sha256(key)).toString('hex'), ''];
    for (const over of others) refused.push((await makeKey(over)).key);
    // Together, because Dovecot delays each answer.
    const replies = await Promise.all(refused.map(async (secret) => (await signedIn(secret)).reply));
    for (const reply of replies) expect(reply).toMatch(/^(535|501) /);
    expect((await signedIn()).reply).toMatch(/^235 /);
    expect((await signInToImap(USER, key)).isSignedIn).toBe(false);
  });

  it('ends with its revocation, also in an open session', async () => {
    const session = await signedIn();
    await db.apiKey.delete({ where: { id: keyId } });
    const to = remoteAddress();
    const text = messageText({ from: at('shop'), to, subject: 'x' });
    expect(await session.send(at('shop'), [to], text)).toMatch(/^550 5\.7\.1 .*This API key was revoked\.$/);
    expect((await signedIn()).reply).toMatch(/^535 /);
  });
});
