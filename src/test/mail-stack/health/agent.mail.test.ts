import { describe, expect, it, onTestFinished } from 'vitest';
import { recordFindings } from '@/modules/system/health/record';
import { checkWork } from '@/modules/system/health/work';
import { signalAgent } from '../support/agent';
import { findCheck, openAlertsAbout, updateAlertsAMinuteLater, waitUntilClosed } from '../support/health';
import { db } from '../support/mail-server';

/** Records findings, as an instance of the app does every 15 seconds, and returns the status of the mail agent. */
const check = async () => {
  await recordFindings(db, await checkWork(db));
  return (await findCheck('mail_agent'))?.status;
};

describe('a mail agent that hangs', () => {
  it('is down with what to do within half a minute; an alert opens, and closes when it goes on', async () => {
    await expect.poll(check).toBe('ok');
    onTestFinished(() => signalAgent('SIGCONT'));
    signalAgent('SIGSTOP');
    await expect.poll(check, { timeout: 40_000, interval: 500 }).toBe('down');
    const found = await findCheck('mail_agent');
    expect(found?.value).toBeGreaterThan(20);
    expect(found?.fix).toContain('systemctl start postroom-mail-agent');
    await updateAlertsAMinuteLater();
    expect(await openAlertsAbout('mail_agent')).toMatchObject([{ kind: 'system_down' }]);
    signalAgent('SIGCONT');
    await expect.poll(check).toBe('ok');
    await updateAlertsAMinuteLater();
    await check();
    await waitUntilClosed('mail_agent');
  });
});
