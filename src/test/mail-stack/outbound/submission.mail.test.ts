import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { beforeEach, describe, expect, it } from 'vitest';
import { hashPassword } from '@/server/secrets/password';
import { makeDomain, makeMailbox, newName, PASSWORD } from '../support/directory';
import { activateKey, signaturesOf } from '../support/dkim-keys';
import { signInToImap } from '../support/imap-session';
import { db, mailServer, portOf, startRemoteServer } from '../support/mail-server';
import { messageText, openSmtp, openSubmission } from '../support/smtp-session';

const remoteServer = await startRemoteServer();
const APP_PASSWORD = String(mailServer.settings.APP_PASSWORD);
const REJECTED = /^55[034] 5\.7\.1 /;
let domain: { id: string; name: string };
const at = (local: string) => `${local}@${domain.name}`;

beforeEach(async () => {
  domain = await makeDomain();
  await activateKey(domain.name, 'first');
  await makeMailbox(domain.id, 'ann');
  await makeMailbox(domain.id, 'bo');
});

/** A message to a unique address, to check whether it was sent. */
function newMessage(from: string) {
  const to = `${newName()}@far.example`;
  const text = messageText({ from, to, subject: 'Hello' });
  return { to, text, hasLeft: () => remoteServer.received.some(({ rcptTo }) => rcptTo.includes(to)) };
}

/** The message as the other server got it. */
async function delivered(to: string): Promise<Buffer> {
  const find = () => remoteServer.received.find(({ rcptTo }) => rcptTo.includes(to));
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  return find()?.raw as Buffer;
}

describe('a mailbox', () => {
  it('sends as itself with implicit TLS and STARTTLS', async () => {
    const [first, second] = [newMessage(at('ann')), newMessage(at('ann'))];
    const session = await openSubmission(at('ann'), PASSWORD);
    expect(await session.send(at('ann'), [first.to], first.text)).toMatch(/^250 /);
    const transport = createTransport({
      host: '127.0.0.1',
      port: portOf('SUBMISSION_PORT'),
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: at('ann'), pass: PASSWORD },
    });
    await transport.sendMail({ from: at('ann'), to: second.to, subject: 'Hello', text: 'Good morning.' });
    await delivered(first.to);
    await delivered(second.to);
  });

  it('signs in with letters that were set in two characters each', async () => {
    const password = 'vier bunte Bücher';
    const passwordHash = await hashPassword(password.normalize('NFD'));
    await db.mailbox.updateMany({ where: { domainId: domain.id, localPart: 'ann' }, data: { passwordHash } });
    await openSubmission(at('ann'), password);
    const { isSignedIn } = await signInToImap(at('ann'), Buffer.from(password).toString('latin1'));
    expect(isSignedIn).toBe(true);
  });

  it('signs in from an address where others just tried wrong passwords', async () => {
    for (const wrong of ['first', 'second', 'third']) {
      const session = await openSmtp('SUBMISSIONS_PORT');
      expect(await session.signIn(at('bo'), `${wrong} wrong password`)).toMatch(/^535 /);
    }
    await openSubmission(at('ann'), PASSWORD);
    // Through this socket, Dovecot would delay sign-ins some time after its start.
    expect(existsSync(join(mailServer.data, 'run/dovecot/anvil-auth-penalty'))).toBe(false);
  });

  it('can’t send as another address, in the envelope or in From', async () => {
    const other = await makeDomain();
    await activateKey(other.name, 'first');
    for (const sender of [at('bo'), at('nobody'), `ceo@${other.name}`, 'x@elsewhere.example']) {
      const session = await openSubmission(at('ann'), PASSWORD);
      const inEnvelope = newMessage(at('ann'));
      expect(await session.send(sender, [inEnvelope.to], inEnvelope.text), sender).toMatch(/^553 5\.7\.1 /);
      const inFrom = newMessage(sender);
      expect(await session.send(at('ann'), [inFrom.to], inFrom.text), sender).toMatch(/^554 5\.7\.1 /);
      expect(await session.send('', [inFrom.to], inFrom.text), sender).toMatch(/^554 5\.7\.1 /);
      const inBoth = newMessage(`${at('ann')}, ${sender}`);
      expect(await session.send(at('ann'), [inBoth.to], inBoth.text), sender).toMatch(/^554 5\.7\.1 /);
      for (const { hasLeft } of [inEnvelope, inFrom, inBoth]) expect(hasLeft()).toBe(false);
    }
  });

  it.each(['Sender', 'Resent-From', 'Resent-Sender'])('can’t name another address in %s', async (field) => {
    const session = await openSubmission(at('ann'), PASSWORD);
    const [other, own] = [newMessage(at('ann')), newMessage(at('ann'))];
    expect(await session.send(at('ann'), [other.to], `${field}: The Boss <${at('bo')}>\n${other.text}`)).toMatch(
      /^554 5\.7\.1 .*Sender and Resent-From/,
    );
    expect(await session.send(at('ann'), [own.to], `${field}: Ann <${at('Ann')}>\n${own.text}`)).toMatch(/^250 /);
    expect(other.hasLeft()).toBe(false);
  });

  it('can’t send a line that would be broken after signing, and learns why', async () => {
    const session = await openSubmission(at('ann'), PASSWORD);
    for (const [length, answer] of [
      [998, /^250 /],
      [999, /^554 5\.7\.1 .*longer than 998 characters/],
    ] as const) {
      const { to, text } = newMessage(at('ann'));
      expect(await session.send(at('ann'), [to], `${text}\n${'x'.repeat(length)}\n`)).toMatch(answer);
    }
  });

  it.each([
    ['References', '<aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@far.example>'],
    ['X-Notes', 'long'],
    ['Cc', `${'Bo <bo@far.example>, '.repeat(40)}\n`],
  ])(
    'can send a long line of a field that no signature covers, and any field in several lines: %s',
    async (field, part) => {
      const session = await openSubmission(at('ann'), PASSWORD);
      const { to, text } = newMessage(at('ann'));
      const value = `${part} `.repeat(Math.ceil(1000 / part.length));
      expect(await session.send(at('ann'), [to], `${field}: ${value}\n${text}`)).toMatch(/^250 /);
      expect(await signaturesOf(await delivered(to))).toEqual([`pass rsa-sha256 by first.${domain.name}`]);
    },
  );

  it.each(['Cc', 'reply-to'])('can’t send a long line of a field that is signed: %s', async (field) => {
    const session = await openSubmission(at('ann'), PASSWORD);
    const { to, text } = newMessage(at('ann'));
    const line = `${field}: ${'Bo <bo@far.example>, '.repeat(50)}`;
    expect(await session.send(at('ann'), [to], `${line}\n${text}`)).toMatch(
      new RegExp(`^554 5\\.7\\.1 .*A line of the field ${field} is longer than 998 characters`),
    );
  });

  it('sends nothing on of what a spam filter said', async () => {
    const session = await openSubmission(at('ann'), PASSWORD);
    const { to, text } = newMessage(at('ann'));
    expect(await session.send(at('ann'), [to], `X-Spam: Yes\nX-Spamd-Result: bad\n${text}`)).toMatch(/^250 /);
    expect((await delivered(to)).toString()).not.toMatch(/^X-Spam/m);
  });

  it('doesn’t tell recipients the address of its device', async () => {
    const session = await openSubmission(at('ann'), PASSWORD);
    const { to, text } = newMessage(at('ann'));
    await session.send(at('ann'), [to], text);
    await delivered(to);
    const raw = String(remoteServer.received.find(({ rcptTo }) => rcptTo.includes(to))?.raw);
    expect(raw).toMatch(/^Received: by \S+ \(Postfix\) with ESMTPSA id \w+/m);
    expect(raw).not.toMatch(/client\.example|127\.0\.0\.1/);
  });

  it('sends with its address in any letter case, and with the null sender', async () => {
    const session = await openSubmission(at('ann').toUpperCase(), PASSWORD);
    const [upper, none] = [newMessage(`Ann <${at('Ann').toUpperCase()}>`), newMessage(at('ann'))];
    expect(await session.send(at('ANN').toUpperCase(), [upper.to], upper.text)).toMatch(/^250 /);
    expect(await session.send('', [none.to], none.text)).toMatch(/^250 /);
    await delivered(upper.to);
    await delivered(none.to);
  });

  it.each([
    ['suspended', () => db.mailbox.updateMany({ where: { domainId: domain.id }, data: { suspendedAt: new Date() } })],
    ['inactive', () => db.mailbox.updateMany({ where: { domainId: domain.id }, data: { active: false } })],
    ['deleted', () => db.mailbox.deleteMany({ where: { domainId: domain.id } })],
    ['of an inactive domain', () => db.domain.update({ where: { id: domain.id }, data: { active: false } })],
  ])('that is %s can’t send in an open session, with any sender', async (_, change) => {
    const session = await openSubmission(at('ann'), PASSWORD);
    const before = newMessage(at('ann'));
    expect(await session.send(at('ann'), [before.to], before.text)).toMatch(/^250 /);
    await change();
    for (const sender of [at('ann'), at('ANN').toUpperCase(), '', at('bo')]) {
      const { to, text } = newMessage(at('ann'));
      expect(await session.send(sender, [to], text), sender).toMatch(REJECTED);
    }
  });
});

describe('the app', () => {
  it('sends from any address of an active domain', async () => {
    const session = await openSubmission('postroom', APP_PASSWORD);
    const { to, text } = newMessage(at('no-mailbox'));
    expect(await session.send(at('no-mailbox'), [to], text)).toMatch(/^250 /);
    await delivered(to);
  });

  it('can’t send for a suspended mailbox, an inactive domain or an unmanaged domain', async () => {
    const session = await openSubmission('postroom', APP_PASSWORD);
    const { to, text } = newMessage(at('ann'));
    await db.mailbox.updateMany({ where: { domainId: domain.id }, data: { suspendedAt: new Date() } });
    expect(await session.send(at('Ann'), [to], text)).toMatch(/^550 5\.7\.1 /);
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect(await session.send(at('free'), [to], text)).toMatch(/^550 5\.7\.1 /);
    expect(await session.send('x@elsewhere.example', [to], text)).toMatch(/^553 5\.7\.1 /);
  });

  it('can’t sign in with IMAP', async () => {
    expect((await signInToImap('postroom', APP_PASSWORD)).isSignedIn).toBe(false);
  });
});

describe('an unauthenticated client', () => {
  it.each(['SUBMISSION_PORT', 'SUBMISSIONS_PORT'] as const)('can’t send through %s', async (port) => {
    const session = await openSmtp(port);
    if (port === 'SUBMISSION_PORT') {
      expect(session.greeting).not.toContain('AUTH');
      expect(await session.signIn(at('ann'), PASSWORD)).toMatch(/^5/);
      expect(await session.command(`MAIL FROM:<${at('ann')}>`)).toMatch(/^530 5\.7\.0 /);
      await session.startTls();
    }
    expect(await session.signIn(at('ann'), 'another password')).toMatch(/^535 5\.7\.8 /);
    for (const to of ['x@far.example', at('bo')])
      expect(await session.recipient(to, at('ann'))).toMatch(/^554 5\.7\.1 /);
  });

  it('can’t sign in on the port for inbound mail', async () => {
    const session = await openSmtp('SMTP_PORT');
    expect(session.greeting).not.toContain('AUTH');
    expect(await session.signIn(at('ann'), PASSWORD)).toMatch(/^503 /);
  });
});
