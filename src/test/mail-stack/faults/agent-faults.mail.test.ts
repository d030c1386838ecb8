import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readInstallation } from '@/mail/agent/installation';
import { parseLogLine } from '@/mail/log/log-line';
import { rotateLog } from '@/mail/log/log-rotation';
import { whileAgentStopped } from '../support/agent';
import { newName } from '../support/directory';
import { activateKey } from '../support/dkim-keys';
import { mailServer } from '../support/mail-server';
import {
  at,
  domain,
  receive,
  remoteAddress,
  sendTo,
  traceMail,
  waitForEvents,
  webhookEvents,
} from '../support/traced-mail';

await traceMail();

describe('no event is lost or repeated', () => {
  it('when the log is rotated and old files are deleted', async () => {
    const log = readInstallation(mailServer.config).postfixLog;
    const [old, young] = [`${log}.20260101-000000`, `${log}.20261120-000000`];
    for (const path of [old, young]) writeFileSync(path, 'Nov 20 00:00:00 mail postfix/qmgr[1]: read before\n');
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    utimesSync(old, daysAgo(15), daysAgo(15));
    utimesSync(young, daysAgo(13), daysAgo(13));
    await rotate();
    expect([old, young].map((path) => existsSync(path))).toEqual([false, true]);
    await receive([at('ann')], { subject: 'In the new file' });
    await waitForEvents('mail.received', 1);
    rmSync(young);
  });

  it('for mail while the agent is stopped', async () => {
    await activateKey(domain.name, 'first');
    const to = remoteAddress();
    await whileAgentStopped(async () => {
      await receive([at('ann')], { subject: 'Meanwhile' });
      expect((await sendTo([to])).status).toBe(200);
      await rotate();
      await receive([at('bo')], { subject: 'Later' });
    });
    await waitForEvents('mail.received', 2);
    await waitForEvents('mail.delivered', 1);
    const subjects = (await webhookEvents('mail.received')).map(({ data }) => data.subject);
    expect(subjects.toSorted()).toEqual(['Later', 'Meanwhile']);
  });
});

it('Postfix’s log is read with its times, whatever the time zone', async () => {
  const { postfixLog } = readInstallation(mailServer.config);
  const text = `${newName().toUpperCase()}: removed`;
  const before = Date.now();
  execFileSync('postlog', ['-c', `${mailServer.config}/postfix`, '-t', 'postfix/test/qmgr', text], {
    env: { ...process.env, TZ: 'Asia/Tokyo' },
    stdio: 'ignore',
  });
  const line = () =>
    readFileSync(postfixLog, 'utf8')
      .split('\n')
      .find((each) => each.includes(text));
  await expect.poll(line).toBeDefined();
  const at = parseLogLine(line() ?? '', new Date())?.at.getTime();
  expect(at).toBeGreaterThan(before - 1000);
  expect(at).toBeLessThanOrEqual(Date.now());
});

/** Rotates the log like the agent does when it is long. */
async function rotate(): Promise<void> {
  await rotateLog(readInstallation(mailServer.config), new Date(), 0);
}
