import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAIL_SERVICES } from '@/lib/mail/operations';
import { killAgent } from '../support/agent';
import { activateKey } from '../support/dkim-keys';
import { db, mailServer } from '../support/mail-server';
import { ALL_RUNNING, begin, finished, operate, processOf, statesOf, textOf } from '../support/operations';
import { changeSettings, driftedFiles, readConfig, resetSettings } from '../support/settings';
import { at, domain, receive, remoteAddress, submit, traceMail, waitForEvents } from '../support/traced-mail';

await traceMail();

const OPERATION_TIMEOUT_MS = 240_000;
const workFolder = join(mailServer.config, '.operation');

beforeEach(() => activateKey(domain.name, 'first'));
afterEach(resetSettings);

/** Resolves as soon as a line of the operation's output contains the text. */
async function untilOutput(id: string, text: string): Promise<void> {
  const find = () => db.operationLine.findFirst({ where: { operationId: id, text: { contains: text } } });
  await expect.poll(find, { interval: 5, timeout: 120_000 }).not.toBeNull();
}

/** The output has what was done about it, also if the agent was away for longer than the lease of the operation. */
async function expectInterrupted(id: string, done: string): Promise<void> {
  expect(await finished(id)).toMatchObject({ state: 'interrupted' });
  await expect.poll(async () => textOf(await finished(id))).toContain(done);
}

async function expectMailToFlow(): Promise<void> {
  await expect.poll(statesOf).toEqual(ALL_RUNNING);
  expect(await receive([at('ann')])).toMatch(/^250 /);
  await waitForEvents('mail.received', 1);
  await expect.poll(() => submit([remoteAddress()]).catch(() => '')).toMatch(/^250 /);
  await waitForEvents('mail.delivered', 1);
}

describe('an agent that is killed', () => {
  it(
    'while it applies settings leaves the operation interrupted, restores every file, and mail flows',
    async () => {
      changeSettings({ MESSAGE_SIZE_MB: '90', REDIS_MEMORY_MB: '300' });
      const before = processOf('redis');
      const id = await begin({ action: 'apply_config' });
      await untilOutput(id, 'Stopping Redis');
      expect(readConfig('redis.conf')).toContain('maxmemory 300mb');
      killAgent();
      await expectInterrupted(id, 'It restored 2 former files.');
      await expect.poll(() => existsSync(workFolder), { timeout: 120_000 }).toBe(false);
      expect(await driftedFiles()).toEqual([]);
      expect(processOf('redis')).not.toBe(before);
      await expectMailToFlow();
      expect(await operate({ action: 'apply_config' })).toMatchObject({ state: 'succeeded' });
      resetSettings();
      expect(await operate({ action: 'apply_config' })).toMatchObject({ state: 'succeeded' });
    },
    OPERATION_TIMEOUT_MS,
  );

  it(
    'between stopping and starting services starts them again',
    async () => {
      const before = MAIL_SERVICES.map(processOf);
      const id = await begin({ action: 'restart' });
      await untilOutput(id, 'Stopping Redis');
      killAgent();
      await expectInterrupted(id, 'It makes sure that Redis, Rspamd, Dovecot, Postfix runs.');
      await expect.poll(() => existsSync(workFolder), { timeout: 120_000 }).toBe(false);
      // Redis may not have been stopped yet.
      expect(before).not.toContain(processOf('dovecot'));
      expect(before).not.toContain(processOf('postfix'));
      await expectMailToFlow();
    },
    OPERATION_TIMEOUT_MS,
  );

  it(
    'again and again at any moment leaves either all former or all new files',
    async () => {
      for (const delay of ['Generating', 'Checking', 'Replacing', 'Reloading Postfix']) {
        changeSettings({ MESSAGE_SIZE_MB: '90', HOSTNAME: mailServer.settings.HOSTNAME ?? '' });
        const id = await begin({ action: 'apply_config' });
        await untilOutput(id, delay);
        killAgent();
        const { state } = await finished(id);
        await expect.poll(() => existsSync(workFolder), { timeout: 120_000 }).toBe(false);
        expect(await driftedFiles()).toEqual(state === 'succeeded' ? ['changed postfix/main.cf'] : []);
        resetSettings();
        if (state === 'succeeded') await operate({ action: 'apply_config' });
      }
      await expectMailToFlow();
    },
    OPERATION_TIMEOUT_MS,
  );
});
