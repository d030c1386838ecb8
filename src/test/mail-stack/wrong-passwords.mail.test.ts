import { beforeEach, describe, expect, it } from 'vitest';
import { makeDomain, makeMailbox, PASSWORD } from './support/directory';
import { signInToImap } from './support/imap-session';
import { db, mailServer } from './support/mail-server';
import { openSmtp } from './support/smtp-session';
import { randomLoopbackAddress } from './support/wire';

const BLOCKED_AFTER = 10;
let domain: { id: string; name: string };
let address: string;
const ann = () => `ann@${domain.name}`;

beforeEach(async () => {
  domain = await makeDomain();
  await makeMailbox(domain.id, 'ann');
  address = randomLoopbackAddress();
});

const imap = async (password: string, from = address) => (await signInToImap(ann(), password, { from })).isSignedIn;

async function submission(user: string, password: string, from = address): Promise<string> {
  const session = await openSmtp('SUBMISSIONS_PORT', from);
  return session.signIn(user, password).finally(session.quit);
}

/** At the same time, because Dovecot answers each after two seconds. */
async function guess(attempt: (password: string) => Promise<unknown>, name: string, count = BLOCKED_AFTER) {
  await Promise.all(Array.from({ length: count }, (_, index) => attempt(`${name} ${index}`)));
}

const alerts = () => db.alert.findMany({ where: { kind: 'wrong_passwords', subject: ann() } });
const entries = () => db.auditEntry.findMany({ where: { action: 'mailbox.sign_in', adminEmail: ann() } });

describe('a client that guesses the password of a mailbox', () => {
  it.each([
    ['IMAP', (password: string) => imap(password)],
    ['SMTP', (password: string) => submission(ann(), password)],
  ])('by %s is blocked on every port, makes one alert and one audit entry', async (protocol, attempt) => {
    // Guesses aren't counted for a minute after Postgres was away, as other tests let it be.
    const guessAgain = async () => {
      await guess(attempt, 'guess');
      return (await entries()).length;
    };
    await expect.poll(guessAgain, { timeout: 90_000 }).toBe(1);
    expect(await imap(PASSWORD)).toBe(false);
    expect(await submission(ann(), PASSWORD)).toMatch(/^535 /);
    await guess(attempt, 'more');
    expect(await alerts()).toHaveLength(1);
    expect(await entries()).toMatchObject([{ ipAddress: address, userAgent: protocol, outcome: 'denied' }]);
  });

  it('does not lock out other clients, or other mailboxes at its own address', async () => {
    await guess(imap, 'guess');
    await expect.poll(() => imap(PASSWORD)).toBe(false);
    expect(await imap(PASSWORD, randomLoopbackAddress())).toBe(true);
    await makeMailbox(domain.id, 'bo');
    expect(await submission(`bo@${domain.name}`, PASSWORD)).toMatch(/^235 /);
  });
});

it('a mail program that repeats an old password is not blocked, and its sign-ins are recorded', async () => {
  await guess(() => imap('the old password'), '', 2 * BLOCKED_AFTER);
  expect(await imap(PASSWORD)).toBe(true);
  expect(await submission(ann(), PASSWORD)).toMatch(/^235 /);
  expect(await alerts()).toEqual([]);
  const signIns = () => db.mailboxSignIn.findMany({ where: { clientAddress: address }, orderBy: { protocol: 'asc' } });
  await expect.poll(signIns).toMatchObject([{ protocol: 'imap' }, { protocol: 'smtp' }]);
});

it('the app can sign in whatever passwords others try for it from the same address', async () => {
  await guess((password) => submission('postroom', password), 'guess');
  await expect.poll(() => db.alert.count({ where: { kind: 'wrong_passwords', subject: 'postroom' } })).toBe(1);
  expect(await submission('postroom', String(mailServer.settings.APP_PASSWORD))).toMatch(/^235 /);
});
