import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeAlias, makeDomain, makeMailbox, newName, PASSWORD } from '../support/directory';
import { signInToImap, waitForMessage } from '../support/imap-session';
import { db, mailServer, startRemoteServer } from '../support/mail-server';
import { operate } from '../support/operations';
import { changeSettings, resetSettings } from '../support/settings';
import { messageText, openInbound } from '../support/smtp-session';

const remoteServer = await startRemoteServer();
const NO_SUCH_USER = expect.stringMatching(/^550 5\.1\.1 .*No such user/);
let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
});

const at = (local: string) => `${local}@${domain.name}`;

async function send(to: string, from = 'someone@elsewhere.example') {
  const subject = newName();
  const session = await openInbound();
  const answer = await session.send(from, [to], messageText({ from, to, subject }));
  return { subject, answer };
}

describe('an address resolves', () => {
  it('to its mailbox before an alias with the same name', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'bo');
    await makeAlias(domain.id, 'ann', at('bo'));
    const { subject } = await send(at('ann'));
    await waitForMessage(at('ann'), subject);
    expect(await (await signInToImap(at('bo'), PASSWORD)).messages()).toEqual([]);
  });

  it('to its alias before the catch-all', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'bo');
    await makeAlias(domain.id, 'info', at('ann'));
    await makeAlias(domain.id, '', at('bo'));
    const { subject } = await send(at('info'));
    await waitForMessage(at('ann'), subject);
    expect(await (await signInToImap(at('bo'), PASSWORD)).messages()).toEqual([]);
  });

  it('to the catch-all only if there is no mailbox', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'all');
    await makeAlias(domain.id, '', at('all'));
    const toAnyone = await send(at('anyone'));
    await waitForMessage(at('all'), toAnyone.subject);
    const toAnn = await send(at('ann'));
    await waitForMessage(at('ann'), toAnn.subject);
    expect(await (await signInToImap(at('all'), PASSWORD)).messages()).toHaveLength(1);
  });

  it('like the address without its tag, before the catch-all', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'all');
    await makeMailbox(domain.id, 'ann+own');
    await makeAlias(domain.id, '', at('all'));
    const tagged = await send(at('Ann+shop'));
    await waitForMessage(at('ann'), tagged.subject);
    const own = await send(at('ann+own'));
    await waitForMessage(at('ann+own'), own.subject);
    expect(await (await signInToImap(at('all'), PASSWORD)).messages()).toEqual([]);
  });

  it('to nothing, and is rejected as an unknown user', async () => {
    const session = await openInbound();
    expect(await session.recipient(at('nobody'))).toEqual(NO_SUCH_USER);
  });

  it('case-insensitively', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, 'info', at('ann'));
    const toMailbox = await send(`ANN@${domain.name.toUpperCase()}`);
    const toAlias = await send(`Info@${domain.name.toUpperCase()}`);
    await waitForMessage(at('ann'), toMailbox.subject);
    await waitForMessage(at('ann'), toAlias.subject);
  });
});

describe('an alias', () => {
  it('delivers once to each of several mailboxes and an external address', async () => {
    const other = await makeDomain();
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(other.id, 'bo');
    const remote = `${newName()}@far.example`;
    await makeAlias(domain.id, 'team', `${at('ann')}, bo@${other.name}, ${remote}, ${at('ann')}`);
    const { subject } = await send(at('team'));
    await waitForMessage(at('ann'), subject);
    await waitForMessage(`bo@${other.name}`, subject);
    await vi.waitFor(
      () => expect(remoteServer.received.some(({ rcptTo }) => rcptTo.includes(remote))).toBe(true),
      20_000,
    );
    expect(await (await signInToImap(at('ann'), PASSWORD)).messages()).toHaveLength(1);
    expect(remoteServer.received.filter(({ rcptTo }) => rcptTo.includes(remote))).toHaveLength(1);
  });

  it('skips local destinations without an active mailbox, and the sender gets no bounce', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'off', { active: false });
    await makeAlias(domain.id, 'next', at('ann'));
    await makeAlias(domain.id, 'team', [at('off'), at('gone'), at('next'), at('team'), at('ann')].join(','));
    const sender = `${newName()}@elsewhere.example`;
    const { subject } = await send(at('team'), sender);
    await waitForMessage(at('ann'), subject);
    await waitForMessage(at('ann'), (await send(at('team'), sender)).subject);
    expect(await (await signInToImap(at('ann'), PASSWORD)).messages()).toHaveLength(2);
    expect(remoteServer.received.filter(({ rcptTo }) => rcptTo.includes(sender))).toEqual([]);
  });

  it('without a working destination is rejected at RCPT, even if there is a catch-all', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, '', at('ann'));
    await makeAlias(domain.id, 'old', at('gone'));
    const session = await openInbound();
    expect(await session.recipient(at('old'))).toEqual(NO_SUCH_USER);
  });

  it('that is inactive is ignored', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, 'off', at('ann'), { active: false });
    const session = await openInbound();
    expect(await session.recipient(at('off'))).toEqual(NO_SUCH_USER);
  });
});

describe('external mail', () => {
  it('isn’t relayed, however it is addressed', async () => {
    await makeMailbox(domain.id, 'ann');
    const session = await openInbound();
    const addresses = [
      'x@elsewhere.example',
      `x%elsewhere.example@${domain.name}`,
      `elsewhere.example!x@${domain.name}`,
      `@${domain.name}:x@elsewhere.example`,
      `"x@elsewhere.example"@${domain.name}`,
    ];
    for (const address of addresses) {
      expect(await session.recipient(address), address).toMatch(/^55[04] 5\.(7|1)\.1 /);
    }
    expect(await session.recipient('x@elsewhere.example')).toMatch(/^554 5\.7\.1 .*Relay access denied/);
  });

  it('can’t request delivery receipts', async () => {
    await makeMailbox(domain.id, 'ann');
    const session = await openInbound();
    expect(session.greeting).not.toMatch(/DSN|ETRN/);
    await session.command('MAIL FROM:<someone@elsewhere.example>');
    expect(await session.command(`RCPT TO:<${at('ann')}> NOTIFY=SUCCESS`)).toMatch(/^501 /);
  });

  it('isn’t relayed through a catch-all', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeAlias(domain.id, '', at('ann'));
    const session = await openInbound();
    for (const local of ['x%elsewhere.example', 'elsewhere.example!x', '"x@elsewhere.example"']) {
      expect(await session.recipient(at(local)), local).toMatch(/^554 5\.7\.1 /);
    }
  });

  it('is rejected for an inactive domain', async () => {
    await makeMailbox(domain.id, 'ann');
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    const session = await openInbound();
    expect(await session.recipient(at('ann'))).toMatch(/^550 5\.1\.2 .*The domain does not accept mail/);
  });
});

it('mail to the server’s postmaster goes to the POSTMASTER of the settings', async () => {
  const { POSTMASTER } = mailServer.settings;
  await send('postmaster');
  await send(`Postmaster@${mailServer.settings.HOSTNAME}`);
  await vi.waitFor(
    () => expect(remoteServer.received.filter(({ rcptTo }) => rcptTo.includes(String(POSTMASTER)))).toHaveLength(2),
    20_000,
  );
});

it('mail to postmaster@ and abuse@ of a domain goes there, too, unless the domain has the address', async () => {
  const { POSTMASTER } = mailServer.settings;
  const copies = () => remoteServer.received.filter(({ rcptTo }) => rcptTo.includes(String(POSTMASTER))).length;
  const before = copies();
  await makeMailbox(domain.id, 'abuse');
  const { subject } = await send(at('abuse'));
  await waitForMessage(at('abuse'), subject);
  await send(at('Postmaster'));
  await expect.poll(copies, { timeout: 20_000 }).toBe(before + 1);
  const address = at('postmaster');
  const shown = () => db.messageRecipient.findMany({ where: { address }, select: { route: true } });
  await expect.poll(shown, { timeout: 20_000 }).toEqual([{ route: 'forwarded' }]);
  const session = await openInbound();
  expect(await session.recipient(at('webmaster'))).toMatch(/^550 5\.1\.1 /);
  expect(await session.recipient('abuse@elsewhere.example')).toMatch(/^554 5\.7\.1 /);
});

it('mail to the server’s postmaster is deferred until somebody reads that address', async () => {
  const own = await makeDomain();
  onTestFinished(async () => {
    resetSettings();
    await operate({ action: 'apply_config' });
  });
  changeSettings({ POSTMASTER: `postmaster@${own.name}` });
  expect(await operate({ action: 'apply_config' })).toMatchObject({ state: 'succeeded' });
  const addresses = [
    at('Abuse'),
    `abuse@${own.name}`,
    `Postmaster@${own.name}`,
    `postmaster@${mailServer.settings.HOSTNAME}`,
  ];
  const session = await openInbound();
  for (const to of addresses)
    expect(await session.recipient(to), to).toMatch(/^450 4\.3\.5 .*has no mailbox or alias yet/);
  await makeMailbox(own.id, 'ann');
  await makeAlias(own.id, 'postmaster', `ann@${own.name}`);
  for (const to of addresses) {
    const { subject, answer } = await send(to);
    expect(answer, to).toMatch(/^250 /);
    await waitForMessage(`ann@${own.name}`, subject);
  }
});

it('a bare line feed doesn’t smuggle a second message', async () => {
  await makeMailbox(domain.id, 'ann');
  const session = await openInbound();
  const subject = newName();
  await session.command('MAIL FROM:<a@elsewhere.example>');
  await session.command(`RCPT TO:<${at('ann')}>`);
  await session.command('DATA');
  await session.command(`Subject: ${subject}\r\n\r\nfirst\n.\nMAIL FROM:<b@elsewhere.example>\r\n.`);
  expect(await waitForMessage(at('ann'), subject)).toContain('MAIL FROM:<b@elsewhere.example>');
});
