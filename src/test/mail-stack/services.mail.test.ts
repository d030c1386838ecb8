import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAIL_SERVICES, type MailService } from '@/mail/agent/requests';
import { askAgent } from '@/modules/mail-server/service';
import { newName, PASSWORD } from './support/directory';
import { activateKey } from './support/dkim-keys';
import { signInToImap } from './support/imap-session';
import { db, mailServer } from './support/mail-server';
import { runStack, whileStopped } from './support/services';
import { at, domain, receive, remoteAddress, submit, waitForEvents, webhookEvents } from './support/traced-mail';

const RESTART_TIMEOUT = { withinMs: 55_000 };
const MAIL_TIMEOUT = { timeout: 40_000, interval: 200 };
const PAUSE_MS = 20;
const PID_FILES: Record<MailService, string> = {
  redis: 'run/redis/redis.pid',
  rspamd: 'run/rspamd/rspamd.pid',
  dovecot: 'run/dovecot/master.pid',
  postfix: 'queue/pid/master.pid',
};
const processOf = (service: MailService) => readFileSync(`${mailServer.data}/${PID_FILES[service]}`, 'utf8').trim();
const ALL_UP = { redis: true, rspamd: true, dovecot: true, postfix: true };
const isUp = async () =>
  Object.fromEntries(
    (await askAgent(db, 'services.list', {})).services.map(({ service, isUp: isRunning }) => [service, isRunning]),
  );

beforeEach(() => activateKey(domain.name, 'first'));

describe('the mail server’s services, managed through the agent', () => {
  it('are listed, including those that are down', async () => {
    expect(await isUp()).toEqual(ALL_UP);
    await whileStopped('dovecot', async () => {
      expect(await isUp()).toEqual({ ...ALL_UP, dovecot: false });
    });
  });

  it.each([
    ['postfix', { isDone: true, isMailRepeated: false }],
    // Its LMTP may save a message and still refuse it (4.3.2), so Postfix delivers it again.
    ['dovecot', { isDone: true, isMailRepeated: expect.any(Boolean) }],
    ['rspamd', { isDone: true, isMailRepeated: false }],
    // Redis reads its configuration only at start.
    ['redis', { isDone: false, isMailRepeated: false }],
  ] as const)('reload as the same process: %s', async (service, expected) => {
    const before = processOf(service);
    const { answer, repeated } = await sendMailDuring(() => askAgent(db, 'services.reload', { service }));
    expect({ ...answer, isMailRepeated: repeated.length > 0 }).toEqual(expected);
    expect(processOf(service)).toBe(before);
  });

  it.each(MAIL_SERVICES)('restart as another process: %s', async (service) => {
    const before = processOf(service);
    await sendMailDuring(() => askAgent(db, 'services.restart', { service }, RESTART_TIMEOUT));
    expect(processOf(service)).not.toBe(before);
  });

  it('aren’t affected by another start', async () => {
    const before = MAIL_SERVICES.map(processOf);
    runStack('start');
    expect(MAIL_SERVICES.map(processOf)).toEqual(before);
    expect(await isUp()).toEqual(ALL_UP);
  });

  it.each(MAIL_SERVICES)('start even if another process has the pid in a leftover pid file: %s', async (service) => {
    await whileStopped(service, async () => {
      writeFileSync(`${mailServer.data}/${PID_FILES[service]}`, `${process.pid}\n`);
    });
    expect(processOf(service)).not.toBe(String(process.pid));
    expect(await isUp()).toEqual(ALL_UP);
  });

  it('are only these four', async () => {
    for (const service of ['sshd', '../stack', 'postfix; true', '']) {
      await expect(askAgent(db, 'services.restart', { service: service as 'postfix' })).rejects.toMatchObject({
        apiCode: 'MAIL_STACK_UNAVAILABLE',
      });
    }
    expect(await isUp()).toEqual(ALL_UP);
  });
});

/**
 * Checks that mail accepted before, during and after an action is delivered and reported once, and that mail can be sent
 * afterwards. @returns the action's answer, and the subjects that are in the mailbox more than once
 */
async function sendMailDuring<Answer>(action: () => Promise<Answer>): Promise<{ answer: Answer; repeated: string[] }> {
  const accepted: string[] = [];
  const send = async () => {
    const subject = newName();
    const answer = await receive([at('ann')], { subject }).catch(() => 'Connection lost.');
    if (answer.startsWith('250 ')) accepted.push(subject);
    else await setTimeout(PAUSE_MS);
  };
  await send();
  let isRunning = true;
  const running = action().finally(() => {
    isRunning = false;
  });
  while (isRunning) await send();
  const answer = await running;
  expect(accepted).not.toEqual([]);

  expect(await isUp()).toEqual(ALL_UP);

  const count = accepted.length;
  await expect.poll(() => send().then(() => accepted.length), MAIL_TIMEOUT).toBeGreaterThan(count);
  await expect.poll(() => submit([remoteAddress()]).catch(() => ''), MAIL_TIMEOUT).toMatch(/^250 /);
  // Deferred mail would be retried minutes later.
  await askAgent(db, 'queue.flush', {});
  await expect.poll(async () => missingOf(accepted, await subjectsInInbox()), MAIL_TIMEOUT).toEqual([]);
  await waitForEvents('mail.delivered', 1);
  const subjectsInEvents = async () => (await webhookEvents('mail.received')).map(({ data }) => data.subject as string);
  await expect.poll(async () => missingOf(accepted, await subjectsInEvents()), MAIL_TIMEOUT).toEqual([]);
  expect(repeatedIn(await subjectsInEvents())).toEqual([]);
  return { answer, repeated: repeatedIn(await subjectsInInbox()) };
}

async function subjectsInInbox(): Promise<string[]> {
  const messages = await (await signInToImap(at('ann'), PASSWORD)).messages();
  return messages.map((text) => /^Subject: (\w+)\r$/m.exec(text)?.[1] ?? '');
}

const missingOf = (wanted: string[], found: string[]) => wanted.filter((subject) => !found.includes(subject));

const repeatedIn = (subjects: string[]) => subjects.filter((subject, index) => subjects.indexOf(subject) !== index);
