import { describe, expect, it } from 'vitest';
import { HEALTH_CHECKS } from '@/lib/health/catalog';
import type { MailService } from '@/lib/mail/operations';
import {
  namesOfDown,
  openAlertsAbout,
  updateAlertsAMinuteLater,
  waitForCheck,
  waitUntilClosed,
} from '../support/health';
import { whileStopped } from '../support/services';

type Down = 'mail_redis' | 'rspamd' | 'imap' | 'smtp' | 'smtp_submission';
type Case = { service: MailService; down: [Down, ...Down[]]; message: RegExp; alsoDown?: Down };

const CASES: Case[] = [
  { service: 'redis', down: ['mail_redis'], message: /./ },
  { service: 'rspamd', down: ['rspamd'], message: /ECONNREFUSED|ENOENT/ },
  // Postfix cannot ask who signs in then, but a process that is already there may still greet.
  { service: 'dovecot', down: ['imap'], message: /ECONNREFUSED/, alsoDown: 'smtp_submission' },
  { service: 'postfix', down: ['smtp', 'smtp_submission'], message: /ECONNREFUSED/ },
];

const SERVICES: Down[] = ['mail_redis', 'rspamd', 'imap', 'smtp', 'smtp_submission'];

async function foundDown(except: Down | undefined): Promise<Down[]> {
  const found = await namesOfDown();
  return SERVICES.filter((name) => found.includes(name) && name !== except);
}

describe('a service of the mail server that stops', () => {
  it('is found by the agent, with what to do, and alone; an alert opens, and closes after the restart', async () => {
    await waitForCheck('smtp', 'ok');
    for (const { service, down, message, alsoDown } of CASES) {
      await whileStopped(service, async () => {
        const check = await waitForCheck(down[0], 'down');
        // On a busy machine another one may answer too late for once.
        await expect
          .poll(() => foundDown(alsoDown), { timeout: 120_000, interval: 1_000, message: service })
          .toEqual(down);
        expect(check).toMatchObject({ fix: HEALTH_CHECKS[down[0]].fix, value: null });
        expect(check.message).toMatch(message);
        await updateAlertsAMinuteLater();
        expect(await openAlertsAbout(down[0])).toMatchObject([
          { kind: 'system_down', message: expect.stringContaining(HEALTH_CHECKS[down[0]].fix) },
        ]);
      });
    }
    for (const { down } of CASES) for (const name of down) await waitForCheck(name, 'ok');
    for (const { down } of CASES) for (const name of down) await waitUntilClosed(name);
  }, 600_000);
});
