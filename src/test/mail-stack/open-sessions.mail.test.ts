import { once } from 'node:events';
import { connect } from 'node:net';
import { cpus } from 'node:os';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readInstallation } from '@/mail/agent/installation';
import { createServiceControl } from '@/mail/agent/services/control';
import { whileAgentStopped } from './support/agent';
import { PASSWORD } from './support/directory';
import { activateKey } from './support/dkim-keys';
import { signInToImap } from './support/imap-session';
import { db, mailServer, portOf } from './support/mail-server';
import { openManageSieve } from './support/manage-sieve';
import { runStack } from './support/services';
import { messageText, openSubmission } from './support/smtp-session';
import { api, at, domain, remoteAddress, traceMail } from './support/traced-mail';

await traceMail();

const NEW_PASSWORD = 'another password for test mailboxes';
/** The agent is notified; without that it looks every five seconds. */
const NOTIFIED_MS = 3_000;

let ann: { id: string };

beforeEach(async () => {
  ann = await db.mailbox.findFirstOrThrow({ where: { domainId: domain.id, localPart: 'ann' } });
});

const changePassword = () => api.patch(`/mailboxes/${ann.id}`, { password: NEW_PASSWORD });

const idleMs = () => cpus().map(({ times }) => times.idle);

/** Fails if `work` waits longer than the agent takes while a processor is idle. Time in which all of them are busy doesn't count. */
async function expectNotified(work: Promise<unknown>): Promise<void> {
  const before = idleMs();
  await work;
  const waited = idleMs().map((idle, processor) => idle - (before[processor] ?? 0));
  expect(Math.max(...waited)).toBeLessThan(NOTIFIED_MS);
}

/** Sessions of Ann and Bo. */
async function openAll() {
  const [imap, sieve, others] = await Promise.all([
    signInToImap(at('ann'), PASSWORD),
    openManageSieve(at('ann'), PASSWORD),
    signInToImap(at('bo'), PASSWORD),
  ]);
  const ended = Promise.all([imap.ended(), sieve.ended()]);
  return { ended, others };
}

describe('open IMAP and ManageSieve sessions of a mailbox end immediately', () => {
  it.each([
    ['with a new password', changePassword, 'ann'],
    ['once it is inactive', () => api.patch(`/mailboxes/${ann.id}`, { active: false }), 'ann'],
    ['once it is deleted', () => api.call('DELETE', `/mailboxes/${ann.id}`), 'ann'],
    ['once its domain is inactive', () => api.patch(`/domains/${domain.id}`, { active: false }), 'domain'],
  ])('%s', async (_, change, of) => {
    const { ended, others } = await openAll();
    expect((await change()).status).toBeLessThan(300);
    await expectNotified(ended);
    if (of === 'domain') await expectNotified(others.ended());
    else expect(await others.command('NOOP')).toMatch(/ OK /);
  });

  it('when the agent starts, if that happened while it was down', async () => {
    const { ended, others } = await openAll();
    await whileAgentStopped(async () => {
      expect((await changePassword()).status).toBe(200);
    });
    await ended;
    expect(await others.command('NOOP')).toMatch(/ OK /);
    expect((await signInToImap(at('ann'), NEW_PASSWORD)).isSignedIn).toBe(true);
  });
});

it('sessions survive a reload of Dovecot, as for a renewed certificate, and still end with a new password', async () => {
  const { ended, others } = await openAll();
  const installation = readInstallation(mailServer.config);
  await createServiceControl(() => installation).reload('dovecot');
  const isNew = async () => (await signInToImap(at('bo'), PASSWORD)).isSignedIn;
  await expect.poll(isNew).toBe(true);
  expect(await others.command('SELECT INBOX')).toMatch(/ OK /);
  expect((await changePassword()).status).toBe(200);
  await expectNotified(ended);
  expect(await others.command('NOOP')).toMatch(/ OK /);
  runStack('stop', 'dovecot');
  onTestFinished(() => runStack('start', 'dovecot'));
  await expect(others.command('NOOP')).rejects.toThrow('closed the connection');
});

it('a session that was opened with an earlier password can no longer submit, and one with the new password can', async () => {
  await activateKey(domain.name, 'first');
  const [from, to] = [at('ann'), remoteAddress()];
  const send = (session: Awaited<ReturnType<typeof openSubmission>>) =>
    session.send(from, [to], messageText({ from, to, subject: 'Hello' }));
  const session = await openSubmission(from, PASSWORD);
  expect(await send(session)).toMatch(/^250 /);
  expect((await changePassword()).status).toBe(200);
  expect(await send(session)).toMatch(/^421 4\.7\.0 /);
  await expect(session.command('NOOP')).rejects.toThrow('closed the connection');
  const sendAnew = async () => send(await openSubmission(from, NEW_PASSWORD));
  await expect.poll(sendAnew, { interval: 500 }).toMatch(/^250 /);
});

describe('a client with many connections keeps nobody out', () => {
  const idle = async (port: number, count: number) => {
    const sockets = Array.from({ length: count }, () =>
      connect({ port, host: '127.0.0.1', localAddress: '127.9.9.9' }),
    );
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  };

  it('whether it has signed in or not', async () => {
    await idle(portOf('IMAPS_PORT'), 400);
    await idle(portOf('IMAP_PORT'), 100);
    await idle(portOf('SIEVE_PORT'), 200);
    const from = '127.8.8.8';
    const sessions = await Promise.all(Array.from({ length: 30 }, () => signInToImap(at('ann'), PASSWORD, { from })));
    expect(sessions.filter(({ isSignedIn }) => isSignedIn)).toHaveLength(30);
    expect((await signInToImap(at('bo'), PASSWORD)).isSignedIn).toBe(true);
    await openManageSieve(at('bo'), PASSWORD);
  });
});
