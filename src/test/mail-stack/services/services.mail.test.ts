import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAIL_SERVICES, type MailService } from '@/lib/mail/operations';
import { askAgent } from '@/modules/mail-server/service';
import type { OperationDetails } from '@/modules/services/schema';
import { makeOperation } from '../../factories';
import { newName, PASSWORD } from '../support/directory';
import { activateKey } from '../support/dkim-keys';
import { signInToImap } from '../support/imap-session';
import { db } from '../support/mail-server';
import { ALL_RUNNING, operate, pidFileOf, processOf, services, statesOf, textOf } from '../support/operations';
import { isRunning } from '../support/processes';
import { restoreServices, runStack, signalService, whileStopped } from '../support/services';
import {
  at,
  domain,
  receive,
  remoteAddress,
  submit,
  traceMail,
  waitForEvents,
  webhookEvents,
} from '../support/traced-mail';

await traceMail();

/** Postfix tries a message that was deferred twice again after a minute. */
const MAIL_TIMEOUT = { timeout: 150_000, interval: 500 };
const OPERATION_TIMEOUT_MS = 480_000;
/** Several messages arrive at each step of an operation. */
const PAUSE_MS = 100;

// Else a failure while a service is stopped would make every later test wait for it.
afterEach(restoreServices);
beforeEach(() => activateKey(domain.name, 'first'));

describe('the mail server’s services', () => {
  it('are listed with version, uptime and files as generated, including those that are down', async () => {
    await expect.poll(statesOf).toEqual(ALL_RUNNING);
    for (const { service, version, uptime_seconds: uptime, drift } of await services()) {
      expect([service, version]).toEqual([service, expect.stringMatching(/^\d+\.\d+/)]);
      expect([service, uptime]).toEqual([service, expect.any(Number)]);
      expect([service, drift]).toEqual([service, []]);
    }
    await whileStopped('dovecot', async () => {
      // Postfix needs Dovecot's sign-in for new processes of its submission port.
      const postfix = expect.stringMatching(/^(running|not_responding)$/);
      await expect.poll(statesOf).toEqual({ ...ALL_RUNNING, dovecot: 'stopped', postfix });
    });
    await expect.poll(statesOf).toEqual(ALL_RUNNING);
  });

  it.each([
    ['postfix and rspamd', ['postfix', 'rspamd'], { isMailRepeated: false }],
    // Its LMTP may save a message and still refuse it (4.3.2), so Postfix delivers it again.
    ['dovecot', ['dovecot'], { isMailRepeated: expect.any(Boolean) }],
  ] as const)(
    'reload as the same process: %s',
    async (_, reloaded, expected) => {
      const before = reloaded.map(processOf);
      const { answer, repeated } = await sendMailDuring(() => operateEach('reload', reloaded));
      expect(answer).toMatchObject(reloaded.map((service) => ({ state: 'succeeded', service })));
      expect({ isMailRepeated: repeated.length > 0 }).toEqual(expected);
      expect(reloaded.map(processOf)).toEqual(before);
    },
    OPERATION_TIMEOUT_MS,
  );

  it(
    'restart one by one, each as another process, and no mail is lost',
    async () => {
      const before = MAIL_SERVICES.map(processOf);
      const { answer } = await sendMailDuring(() => operateEach('restart', MAIL_SERVICES));
      expect(answer).toMatchObject(MAIL_SERVICES.map((service) => ({ state: 'succeeded', service })));
      for (const [index, service] of MAIL_SERVICES.entries()) expect(processOf(service)).not.toBe(before[index]);
    },
    OPERATION_TIMEOUT_MS,
  );

  it(
    'restart all in the order of their dependencies, and no mail is lost',
    async () => {
      const before = MAIL_SERVICES.map(processOf);
      const { answer } = await sendMailDuring(() => operate({ action: 'restart' }));
      expect(answer).toMatchObject({ state: 'succeeded', message: 'Restarted Redis, Rspamd, Dovecot, Postfix.' });
      const steps = answer.output.filter(({ kind }) => kind === 'step').map(({ text }) => text);
      expect(steps).toEqual([
        'Stopping Postfix',
        'Stopping Dovecot',
        'Stopping Rspamd',
        'Stopping Redis',
        'Starting Redis',
        'Starting Rspamd',
        'Starting Dovecot',
        'Starting Postfix',
      ]);
      for (const [index, service] of MAIL_SERVICES.entries()) expect(processOf(service)).not.toBe(before[index]);
    },
    OPERATION_TIMEOUT_MS,
  );

  it(
    'are killed if they hang while stopping, which is said, and run again',
    async () => {
      const before = MAIL_SERVICES.map(processOf);
      for (const pid of before) process.kill(Number(pid), 'SIGSTOP');
      const operation = await operate({ action: 'restart' });
      for (const [index, service] of MAIL_SERVICES.entries()) {
        expect(textOf(operation)).toContain(`${service} didn't stop within 10 seconds and was killed.`);
        expect(processOf(service)).not.toBe(before[index]);
      }
      expect(operation).toMatchObject({ state: 'succeeded' });
      await expect.poll(() => receive([at('ann')])).toMatch(/^250 /);
      await waitForEvents('mail.received', 1);
    },
    OPERATION_TIMEOUT_MS,
  );

  it('are left alone by a dry run', async () => {
    const before = MAIL_SERVICES.map(processOf);
    expect(await operate({ action: 'restart', dry_run: true })).toMatchObject({
      state: 'succeeded',
      message: 'Would restart Redis, Rspamd, Dovecot, Postfix. Nothing was changed.',
    });
    expect(MAIL_SERVICES.map(processOf)).toEqual(before);
  });

  it('aren’t affected by another start', async () => {
    const before = MAIL_SERVICES.map(processOf);
    runStack('start');
    expect(MAIL_SERVICES.map(processOf)).toEqual(before);
    await expect.poll(statesOf).toEqual(ALL_RUNNING);
  });

  it('are revived if they ended by themselves, and left alone if they were stopped', async () => {
    const [redis, dovecot] = [processOf('redis'), processOf('dovecot')];
    await signalService('dovecot', 'SIGKILL');
    await whileStopped('rspamd', async () => {
      runStack('revive');
      expect(existsSync(pidFileOf('rspamd')) && isRunning(Number(processOf('rspamd')))).toBe(false);
    });
    expect(processOf('redis')).toBe(redis);
    expect(processOf('dovecot')).not.toBe(dovecot);
    await expect.poll(statesOf).toEqual(ALL_RUNNING);
  });

  it('start even if another process has the pid in a leftover pid file', async () => {
    runStack('stop');
    for (const service of MAIL_SERVICES) writeFileSync(pidFileOf(service), `${process.pid}\n`);
    runStack('start');
    for (const service of MAIL_SERVICES) expect(processOf(service)).not.toBe(String(process.pid));
    await expect.poll(statesOf).toEqual(ALL_RUNNING);
  });

  it('are only these four, whatever is in the database', async () => {
    const before = MAIL_SERVICES.map(processOf);
    for (const service of ['sshd', '../stack', 'postfix; true', '']) {
      const id = await operationInDatabase({ action: 'restart', service });
      await expect.poll(() => stateOf(id)).toBe('failed');
    }
    const id = await operationInDatabase({ action: 'shutdown', service: null });
    await expect.poll(() => stateOf(id)).toBe('failed');
    expect(MAIL_SERVICES.map(processOf)).toEqual(before);
  });
});

/** Runs an operation on each of the services, one after the other. */
async function operateEach(action: 'reload' | 'restart', names: readonly MailService[]): Promise<OperationDetails[]> {
  const answers: OperationDetails[] = [];
  for (const service of names) answers.push(await operate({ action, service }));
  return answers;
}

async function operationInDatabase(asked: { action: string; service: string | null }): Promise<string> {
  const open = { state: 'queued' as const, finishedAt: null, leasedUntil: new Date(Date.now() + 20_000) };
  const { host } = await db.mailAgent.findFirstOrThrow();
  return (await makeOperation({ host, ...open, ...asked })).id;
}

const stateOf = async (id: string) => (await db.operation.findUniqueOrThrow({ where: { id } })).state;

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
    await setTimeout(PAUSE_MS);
  };
  await send();
  let isRunning = true;
  const running = action().finally(() => {
    isRunning = false;
  });
  while (isRunning) await send();
  const answer = await running;
  expect(accepted).not.toEqual([]);

  await expect.poll(statesOf).toEqual(ALL_RUNNING);

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
