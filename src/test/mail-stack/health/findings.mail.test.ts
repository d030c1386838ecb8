import { execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readInstallation } from '@/mail/agent/installation';
import { createServiceControl } from '@/mail/agent/services/control';
import { testCertificate } from '../../servers/https-receiver';
import { makeDomain, newName } from '../support/directory';
import { activateKey } from '../support/dkim-keys';
import { findCheck, openAlertsAbout, updateAlertsAMinuteLater, waitForCheck, waitUntilClosed } from '../support/health';
import { mailServer, startRemoteServer } from '../support/mail-server';
import { messageText, openSubmission } from '../support/smtp-session';

const MESSAGES = 501;
const DAY_MS = 86_400_000;
const HOURS_AGO = 5;

const { TLS_CERTIFICATE: certificate = '', TLS_KEY: key = '' } = mailServer.settings;
const { data, config } = mailServer;
const control = createServiceControl(() => readInstallation(config));
const reader = new pg.Client(process.env.DATABASE_URL);

await startRemoteServer({ onRecipient: () => ({ code: 451, text: '4.3.0 Later please' }) });

beforeAll(async () => {
  for (const file of [certificate, key]) copyFileSync(file, `${file}.before`);
  await serveCertificateUntil(new Date(Date.now() + 10 * DAY_MS + DAY_MS / 2));
  await reader.connect();
});

afterAll(async () => {
  await reader.end();
  postsuper('-d', 'ALL');
  for (const file of [certificate, key]) if (existsSync(`${file}.before`)) copyFileSync(`${file}.before`, file);
  await reload();
});

describe('the mail agent', () => {
  it('finds more messages in the queue than usual, and one that has been there for hours', async () => {
    await holdMessages();
    expect(await waitForCheck('queue', 'degraded')).toMatchObject({ threshold: { degraded: 500 }, unit: 'messages' });
    expect((await findCheck('queue'))?.value).toBeGreaterThanOrEqual(MESSAGES);
    const age = await waitForCheck('queue_age', 'degraded');
    expect(age.value).toBeGreaterThanOrEqual(HOURS_AGO * 3600);
    expect(age.value).toBeLessThan((HOURS_AGO + 1) * 3600);
    expect(age.fix).toContain('last reply');
    await updateAlertsAMinuteLater();
    for (const name of ['queue', 'queue_age'] as const)
      expect(await openAlertsAbout(name)).toMatchObject([{ kind: 'system_degraded' }]);
  });

  it('finds a certificate that expires in ten days, and one that has expired', async () => {
    expect(await waitForCheck('certificate', 'degraded')).toMatchObject({ value: 10 });
    await serveCertificateUntil(new Date(Date.now() - DAY_MS));
    const expired = await waitForCheck('certificate', 'down');
    expect(expired.value).toBeLessThan(0);
    expect(expired.fix).toContain('Renew it');
    await updateAlertsAMinuteLater();
    expect(await openAlertsAbout('certificate')).toMatchObject([{ kind: 'system_down' }]);
  });

  it('finds that it no longer reads the mail log, and closes what it opened once all is well', async () => {
    await reader.query('BEGIN');
    await reader.query('LOCK TABLE mail_cursor, logged_mail IN ACCESS EXCLUSIVE MODE');
    // Until it is a minute old. Each look has the agent check everything.
    const check = await waitForCheck('mail_log', 'degraded', { timeout: 150_000, interval: 10_000 });
    expect(check.value).toBeGreaterThan(60);
    await updateAlertsAMinuteLater();
    expect(await openAlertsAbout('mail_log')).toMatchObject([{ kind: 'system_degraded' }]);
    await reader.query('ROLLBACK');
    postsuper('-d', 'ALL');
    for (const file of [certificate, key]) copyFileSync(`${file}.before`, file);
    await reload();
    // The certificate of the tests is valid for two days.
    for (const name of ['mail_log', 'queue', 'queue_age'] as const) await waitForCheck(name, 'ok');
    for (const name of ['mail_log', 'queue', 'queue_age'] as const) await waitUntilClosed(name);
  }, 420_000);
});

/** Submits a message that stays in the queue, makes it older, and copies it until there are more than usual. */
async function holdMessages(): Promise<void> {
  const domain = await makeDomain();
  await activateKey(domain.name, 'first');
  const [from, to] = [`app@${domain.name}`, `${newName()}@far.example`];
  const session = await openSubmission('postroom', String(mailServer.settings.APP_PASSWORD));
  const answer = await session.send(from, [to], messageText({ from, to, subject: 'Waiting' }));
  const id = /queued as (\w+)/.exec(answer)?.[1] ?? answer;
  postsuper('-h', 'ALL');
  const held = join(data, 'queue/hold');
  makeOlder(join(held, id));
  const { uid, gid } = statSync(join(held, id));
  // Postfix lists every file of the folder whose name is a queue id.
  for (let number = 1; number < MESSAGES; number++) {
    const copy = join(
      held,
      `F${number
        .toString(16)
        .toUpperCase()
        .padStart(id.length - 1, '0')}`,
    );
    copyFileSync(join(held, id), copy);
    chownSync(copy, uid, gid);
  }
}

/** The arrival time is a record of digits in the queue file, followed by the microseconds. */
function makeOlder(file: string): void {
  const content = readFileSync(file).toString('latin1');
  const arrivedAt = String(Math.floor(Date.now() / 1000) - HOURS_AGO * 3600);
  const older = content.replace(/^(C.{1,200}?T.)\d{10}/s, (_, before: string) => `${before}${arrivedAt}`);
  expect(older).not.toBe(content);
  writeFileSync(file, older, 'latin1');
}

async function serveCertificateUntil(notAfterDate: Date): Promise<void> {
  const notBeforeDate = new Date(Date.now() - 30 * DAY_MS);
  const made = await testCertificate({ names: ['mail.example.test'], notBeforeDate, notAfterDate });
  writeFileSync(key, made.key);
  writeFileSync(certificate, made.cert);
  await reload();
}

async function reload(): Promise<void> {
  for (const service of ['postfix', 'dovecot'] as const) await control.reload(service);
}

function postsuper(...args: string[]): void {
  execFileSync('postsuper', ['-c', join(config, 'postfix'), ...args], { stdio: 'ignore' });
}
