import { beforeEach, describe, expect, it, vi } from 'vitest';
import { hashPassword } from '@/server/secrets/password';
import { makeAlias, makeDomain, makeMailbox, newName, PASSWORD } from '../support/directory';
import { signInToImap, waitForMessage } from '../support/imap-session';
import { db, mailServer, startRemoteServer } from '../support/mail-server';
import { uploadScript } from '../support/manage-sieve';
import { messageText, openInbound, openSubmission } from '../support/smtp-session';

const remoteServer = await startRemoteServer();
let domain: { id: string; name: string };
const at = (local: string) => `${local}@${domain.name}`;

beforeEach(async () => {
  domain = await makeDomain();
});

async function send(to: string, { from = 'someone@elsewhere.example', body = 'Good morning.' } = {}) {
  const subject = newName();
  const session = await openInbound();
  return { subject, answer: await session.send(from, [to], messageText({ from, to, subject, body })) };
}

describe('a mailbox', () => {
  it('receives mail and is read with the password that the app hashed', async () => {
    await makeMailbox(domain.id, 'ann');
    const { subject } = await send(at('ann'), { body: 'Good morning, Ann.' });
    const text = await waitForMessage(at('ann'), subject);
    expect(text).toContain('\r\n\r\nGood morning, Ann.\r\n');
    expect(text).toMatch(
      new RegExp(`^Return-Path: <someone@elsewhere.example>\r\n(.*\r\n)*?Delivered-To: ${at('ann')}\r\n`),
    );
  });

  it('receives mail to an alias with the address that it was sent to', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, 'office', at('ann'));
    const { subject } = await send(at('office'));
    expect(await waitForMessage(at('ann'), subject)).toContain(`X-Original-To: ${at('office')}\r\n`);
  });

  it('accepts only its current password, with its address in any letter case', async () => {
    const { id } = await makeMailbox(domain.id, 'ann');
    expect((await signInToImap(at('ann'), 'another password')).answer).toMatch(/ NO \[AUTHENTICATIONFAILED\]/);
    expect((await signInToImap(at('ann').toUpperCase(), PASSWORD)).isSignedIn).toBe(true);
    const passwordHash = await hashPassword('changed since the first');
    await db.mailbox.update({ where: { id }, data: { passwordHash } });
    expect((await signInToImap(at('ann'), PASSWORD)).isSignedIn).toBe(false);
    expect((await signInToImap(at('ann'), 'changed since the first')).isSignedIn).toBe(true);
  });

  it.each(["o'hara", 'ann+lists', 'a&b', 'a=b~c_d-e'])('can have the name %s', async (local) => {
    await makeMailbox(domain.id, local);
    const { subject } = await send(at(local));
    await waitForMessage(at(local), subject);
  });

  it('that is inactive, or whose domain is, doesn’t accept sign-ins', async () => {
    await makeMailbox(domain.id, 'off', { active: false });
    await makeMailbox(domain.id, 'ann');
    expect((await signInToImap(at('off'), PASSWORD)).isSignedIn).toBe(false);
    expect((await signInToImap(at('ann'), PASSWORD)).isSignedIn).toBe(true);
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect((await signInToImap(at('ann'), PASSWORD)).isSignedIn).toBe(false);
  });

  it('that is suspended can be read', async () => {
    await makeMailbox(domain.id, 'ann', { suspendedAt: new Date() });
    const { subject } = await send(at('ann'));
    await waitForMessage(at('ann'), subject);
  });

  it('starts without the mail and scripts of a deleted mailbox with the same address', async () => {
    const { id } = await makeMailbox(domain.id, 'ann');
    const old = await send(at('ann'));
    await waitForMessage(at('ann'), old.subject);
    await uploadScript(at('ann'), PASSWORD, 'discard;\n');
    await db.mailbox.delete({ where: { id } });
    await makeMailbox(domain.id, 'ann');
    expect(await (await signInToImap(at('ann'), PASSWORD)).messages()).toEqual([]);
    const { subject } = await send(at('ann'));
    await waitForMessage(at('ann'), subject);
  });

  it('accepts no password before TLS', async () => {
    await makeMailbox(domain.id, 'ann');
    const session = await signInToImap(at('ann'), PASSWORD, { isTls: false });
    expect(session.greeting).toMatch(/ STARTTLS .*LOGINDISABLED/);
    expect(session.isSignedIn).toBe(false);
  });
});

describe('a full mailbox', () => {
  const QUOTA_BYTES = 20_000;
  const LARGE = `${'x'.repeat(70)}\n`.repeat(400);

  it('rejects mail at RCPT, and accepts it again without a quota', async () => {
    const { id } = await makeMailbox(domain.id, 'ann', { quotaBytes: QUOTA_BYTES });
    const { subject } = await send(at('ann'), { body: LARGE.slice(0, 15_000) });
    await waitForMessage(at('ann'), subject);
    const session = await openInbound();
    await session.command('MAIL FROM:<x@elsewhere.example> SIZE=10000');
    expect(await session.command(`RCPT TO:<${at('ann')}>`)).toMatch(/^552 5\.2\.2 .*The mailbox is full/);
    await db.mailbox.update({ where: { id }, data: { quotaBytes: null } });
    expect((await send(at('ann'), { body: LARGE })).answer).toMatch(/^250 /);
  });

  it('gets a message before, once, when it passes 90 %', async () => {
    await makeMailbox(domain.id, 'ann', { quotaBytes: QUOTA_BYTES });
    for (const bytes of [10_000, 8_500, 100]) await send(at('ann'), { body: LARGE.slice(0, bytes) });
    const warning = await waitForMessage(at('ann'), 'Your mailbox is 90% full');
    expect(warning).toMatch(new RegExp(`^From: Postmaster <postmaster@${mailServer.settings.HOSTNAME}>`, 'm'));
    const all = await (await signInToImap(at('ann'), PASSWORD)).messages();
    expect(all.filter((text) => text.includes('Subject: Your mailbox is'))).toHaveLength(1);
  });

  it('has room for a message that is moved to the trash', async () => {
    await makeMailbox(domain.id, 'ann', { quotaBytes: QUOTA_BYTES });
    const { subject } = await send(at('ann'), { body: LARGE.slice(0, 19_000) });
    await waitForMessage(at('ann'), subject);
    const imap = await signInToImap(at('ann'), PASSWORD);
    await imap.command('SELECT INBOX');
    expect(await imap.command('COPY 1 Drafts')).toMatch(/ NO \[OVERQUOTA\]/);
    expect(await imap.command('COPY 1 Trash')).toMatch(/ OK /);
  });

  it('rejects mail at RCPT from another mailbox, too', async () => {
    await makeMailbox(domain.id, 'ann', { quotaBytes: QUOTA_BYTES });
    await makeMailbox(domain.id, 'bo');
    const { subject } = await send(at('ann'), { body: LARGE.slice(0, 15_000) });
    await waitForMessage(at('ann'), subject);
    const session = await openSubmission(at('bo'), PASSWORD);
    await session.command(`MAIL FROM:<${at('bo')}> SIZE=10000`);
    expect(await session.command(`RCPT TO:<${at('ann')}>`)).toMatch(/^552 5\.2\.2 .*The mailbox is full/);
    expect(await session.command('RCPT TO:<kim@far.example>')).toMatch(/^250 /);
  });

  it('behind an alias rejects mail on delivery, and the sender gets a bounce', async () => {
    await makeMailbox(domain.id, 'ann', { quotaBytes: QUOTA_BYTES });
    await makeAlias(domain.id, 'info', at('ann'));
    const from = `${newName()}@elsewhere.example`;
    await send(at('info'), { from, body: LARGE });
    const bounce = await vi.waitFor(
      () => remoteServer.received.find(({ rcptTo }) => rcptTo.includes(from)) ?? Promise.reject(new Error('no bounce')),
      20_000,
    );
    expect(bounce.mailFrom).toBe('');
    expect(bounce.raw.toString()).toMatch(/552 5\.2\.2 .*The mailbox is full/s);
    expect(await (await signInToImap(at('ann'), PASSWORD)).messages()).toEqual([]);
  });
});
