import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readInstallation } from '@/mail/agent/installation';
import { killAgent } from '../support/agent';
import { makeAlias, newName, PASSWORD } from '../support/directory';
import { activateKey } from '../support/dkim-keys';
import { files } from '../support/filtered-mailbox';
import { signInToImap } from '../support/imap-session';
import { lmtpRecipient } from '../support/lmtp-session';
import { db, mailServer } from '../support/mail-server';
import { findPostgres, type Postgres } from '../support/postgres';
import { runStack, whileStopped } from '../support/services';
import { messageText, openInbound, openSmtp, openSubmission } from '../support/smtp-session';
import { at, domain, receive, remoteAddress, submit, traceMail, waitForEvents } from '../support/traced-mail';

await traceMail();

// The agent notices within a second.
const SOON = { timeout: 20_000, interval: 200 };
const RECIPIENTS = 12;
const THROTTLED = 'service(auth): command startup failed';
/** Or it succeeded, since Postgres was back in time. */
const TRY_LATER = /^(2\d|45)\d |(OK|NO \[UNAVAILABLE\]) |closed the connection|socket disconnected/;

let postgres: Postgres;
beforeAll(async () => {
  postgres = await findPostgres();
});

afterEach(() => postgres.start());

beforeEach(() => activateKey(domain.name, 'first'));

const signInToSend = () =>
  answerOf(async () => {
    const session = await openSmtp('SUBMISSIONS_PORT');
    return session.signIn(at('ann'), PASSWORD).finally(session.quit);
  });

const signInToRead = () => answerOf(async () => (await signInToImap(at('ann'), PASSWORD)).answer);

/** The answer, or that the connection was closed. */
async function answerOf(ask: () => Promise<string>): Promise<string> {
  return ask().catch((error: Error) => error.message);
}

describe('while Postgres is away, and when it comes back', () => {
  it('every question is answered with "try later"', async () => {
    await makeAlias(domain.id, 'info', at('ann'));
    const open = await openInbound();
    await expect.poll(() => open.recipient(at('ann')), SOON).toMatch(/^250 /);
    const signedIn = await openSubmission(at('ann'), PASSWORD);
    const text = messageText({ from: at('ann'), to: at('bo'), subject: 'Meanwhile' });

    await postgres.kill();
    const slow = [
      // The first ones fail while they are under way, and the others wait.
      ...Array.from({ length: RECIPIENTS }, (_, index) => lmtpRecipient(at(index % 2 ? 'ann' : 'bo'))),
      ...Array.from({ length: 2 }, signInToRead),
      ...Array.from({ length: 2 }, signInToSend),
    ];
    const answers = [
      await open.recipient(at('ann')),
      await (await openInbound()).recipient(at('info')),
      await signedIn.send(at('ann'), [at('bo')], text),
      await (await openSubmission('postroom', mailServer.settings.APP_PASSWORD ?? '')).send(
        at('app'),
        [at('bo')],
        text,
      ),
    ];
    for (const answer of answers) expect(answer).toMatch(/^45\d /);
    postgres.start();
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(TRY_LATER);
    await expect.poll(() => lmtpRecipient(at('ann')), SOON).toMatch(/^250 /);
    expect(await lmtpRecipient(at('nobody'))).toMatch(/^550 5\.1\.1 /);
    await expect.poll(signInToSend, SOON).toMatch(/^235 /);
    await expect.poll(signInToRead, SOON).toMatch(/ OK /);
  });

  it('mail that waits for a mailbox is filtered and delivered, and mail is accepted again', async () => {
    const { id } = await db.mailbox.findFirstOrThrow({ where: { domainId: domain.id, localPart: 'bo' } });
    const filter = { name: newName(), script: files('Before', 'Filed') };
    await db.sieveFilter.create({ data: { scope: 'mailbox', mailboxId: id, ...filter } });
    await whileStopped('dovecot', async () => {
      expect(await receive([at('bo')], { subject: 'It was Before' })).toMatch(/^250 /);
      postgres.stop();
    });
    // Several attempts, because Postfix has several connections.
    for (let attempt = 0; attempt < 4; attempt++) expect(await receive([at('ann')])).toMatch(/^4\d\d /);
    postgres.start();
    await expect.poll(() => receive([at('ann')], { subject: 'After' }), SOON).toMatch(/^250 /);
    const received = await waitForEvents('mail.received', 2);
    expect(received.map(({ data }) => data.subject).toSorted()).toEqual(['After', 'It was Before']);
    expect(await (await signInToImap(at('bo'), PASSWORD)).messages('Filed')).toHaveLength(1);
  });
});

it('a mail server that starts before Postgres works within seconds of it', async () => {
  for (const service of ['postfix', 'dovecot'] as const) runStack('stop', service);
  postgres.stop();
  killAgent();
  for (const service of ['dovecot', 'postfix'] as const) runStack('start', service);
  // The sign-in service of Dovecot 2.3 crashes meanwhile, and Dovecot waits longer each time before it starts it again.
  const crashes = () => readFileSync(join(mailServer.data, 'log/dovecot/dovecot.log'), 'utf8').split(THROTTLED).length;
  const before = crashes();
  const asked = [lmtpRecipient(at('ann')), signInToRead(), signInToSend()];
  const session = await openInbound();
  for (let attempt = 0; attempt < 4; attempt++) expect(await session.recipient(at('ann'))).toMatch(/^451 /);
  if (readInstallation(mailServer.config).dovecot === '2.3')
    await expect.poll(crashes).toBeGreaterThanOrEqual(before + 2);
  postgres.start();
  for (const answer of await Promise.all(asked)) expect(answer).toMatch(TRY_LATER);
  await expect.poll(signInToRead, SOON).toMatch(/ OK /);
  await expect.poll(signInToSend, SOON).toMatch(/^235 /);
  await expect.poll(() => receive([at('ann')]), SOON).toMatch(/^250 /);
  await expect.poll(() => submit([remoteAddress()]), SOON).toMatch(/^250 /);
  await waitForEvents('mail.received', 1);
});
