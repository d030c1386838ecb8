import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readInstallation } from '@/mail/agent/installation';
import { rotateLog } from '@/mail/log/log-rotation';
import { killAgent, whileAgentStopped } from '../support/agent';
import { PASSWORD } from '../support/directory';
import { activateKey } from '../support/dkim-keys';
import { signInToImap } from '../support/imap-session';
import { db, mailServer } from '../support/mail-server';
import { messageText, openInbound } from '../support/smtp-session';
import {
  at,
  domain,
  receive,
  remoteAddress,
  sendTo,
  submit,
  waitForEvents,
  webhookEvents,
} from '../support/traced-mail';

describe('no event is lost or repeated', () => {
  const COUNT = 60;

  function mailboxes() {
    return signInToImap(at('ann'), PASSWORD);
  }

  it('despite agent crashes, lost database connections and log rotations', async () => {
    await activateKey(domain.name, 'first');
    const session = await openInbound();
    const to = remoteAddress();
    const others = Array.from({ length: COUNT }, (_, index) => `Number ${index}`);
    for (const [index, subject] of others.entries()) {
      const text = messageText({ from: 'x@elsewhere.example', to: at('ann'), subject });
      expect(await session.send('x@elsewhere.example', [at('ann')], text)).toMatch(/^250 /);
      if (index % 4 === 0) await submitWithRetries(to);
      if (index % 20 === 5) killAgent();
      if (index % 20 === 10) await cutConnections();
      if (index % 20 === 15) await rotate();
    }
    await waitForEvents('mail.received', COUNT);
    await waitForEvents('mail.delivered', COUNT / 4);
    const subjects = (await webhookEvents('mail.received')).map(({ data }) => data.subject as string);
    expect(subjects.toSorted()).toEqual(others.toSorted());
    for (const type of ['mail.sent', 'mail.delivered']) expect(await webhookEvents(type)).toHaveLength(COUNT / 4);
    expect((await (await mailboxes()).messages()).length).toBe(COUNT);
  });

  /** While the agent is down, submissions are deferred. */
  const submitWithRetries = (to: string) => expect.poll(() => submit([to]), { timeout: 30_000 }).toMatch(/^250 /);

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

/** Cuts the connections of the app, the agent and this test; the mail server keeps its own. */
async function cutConnections(): Promise<void> {
  await db.$executeRaw`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND usename <> 'mta_read' AND pid <> pg_backend_pid()`;
}

/** Rotates the log like the agent does when it is long. */
async function rotate(): Promise<void> {
  await rotateLog(readInstallation(mailServer.config), new Date(), 0);
}
