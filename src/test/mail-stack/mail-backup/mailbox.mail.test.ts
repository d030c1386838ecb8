import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeDomain, makeMailbox, PASSWORD } from '../support/directory';
import { signInToImap } from '../support/imap-session';
import { openLmtp } from '../support/lmtp-session';
import {
  backUp,
  contentOf,
  expectUsable,
  fill,
  KEY,
  latestSnapshot,
  listBackups,
  plan,
  restic,
  restoreMailbox,
  unusableIn,
} from '../support/mail-backup';
import { mailServer } from '../support/mail-server';
import { textOf } from '../support/operations';

/** As many tests of the restore share one snapshot. */
const TESTS_OF_SNAPSHOT = 7;

const folder = mkdtempSync(join(tmpdir(), 'postroom-mail-backup-'));
const keyFile = join(folder, 'kept-outside');
writeFileSync(keyFile, `${KEY}\n`);
afterAll(() => rmSync(folder, { recursive: true }));

const target = { kind: 'file' as const, folder: mkdtempSync(join(folder, 'target-')) };
const repository = join(target.folder, 'mail');
/** The domain of the test, with the mailboxes ann and bo. */
let domain: { id: string; name: string };
const at = (local: string) => `${local}@${domain.name}`;

beforeAll(() => plan({ target }));

async function makeMailboxes(): Promise<typeof domain> {
  const made = await makeDomain();
  for (const name of ['ann', 'bo']) await makeMailbox(made.id, name);
  await fill(`ann@${made.name}`);
  const deliver = await openLmtp();
  for (const body of ['First.', 'Second.']) await deliver(`bo@${made.name}`, body);
  return made;
}

describe('a backup of mail', () => {
  it('has everything that a new host needs, and opens with restic and the key alone', async () => {
    domain = await makeMailboxes();
    const operation = await backUp();
    expect(operation, textOf(operation)).toMatchObject({
      state: 'succeeded',
      message: expect.stringContaining('1 snapshot kept.'),
    });
    expect(textOf(operation)).not.toContain(KEY);
    const { snapshots, mail_servers } = await listBackups();
    expect(snapshots).toHaveLength(1);
    expect(snapshots[0]?.files).toBeGreaterThan(10);
    expect(mail_servers).toMatchObject([{ repository, failure: '' }]);
    const listed = restic(repository, keyFile, 'ls', 'latest').split('\n');
    expect(listed).toEqual(expect.arrayContaining(['/backups/host/settings', '/backups/host/key.pem']));
    expect(listed.filter((path) => path.startsWith('/backups/host/appendonlydir/'))).not.toEqual([]);
    expect(restic(repository, keyFile, 'dump', 'latest', '/backups/host/settings')).toBe(
      readFileSync(join(mailServer.config, '../settings'), 'utf8'),
    );
  });
});

describe('a snapshot', () => {
  it('that was taken while mail arrived and flags changed restores every message that was there, whole', async () => {
    domain = await makeMailboxes();
    const imap = await signInToImap(at('bo'), PASSWORD);
    await imap.command('SELECT INBOX');
    await imap.command('STORE 1 +FLAGS (\\Flagged)');
    const before = (await contentOf(at('bo'))).INBOX ?? [];
    const deliver = await openLmtp();
    let isRunning = true;
    const running = backUp().finally(() => {
      isRunning = false;
    });
    while (isRunning) {
      await deliver(at('bo'), 'Meanwhile.');
      await imap.command('STORE 2 +FLAGS (\\Answered)');
      await imap.command('STORE 2 -FLAGS (\\Answered)');
    }
    expect(await running).toMatchObject({ state: 'succeeded' });
    const live = (await contentOf(at('bo'))).INBOX ?? [];
    const operation = await restoreMailbox(await latestSnapshot(), at('bo'), 'beside');
    expect(operation, textOf(operation)).toMatchObject({ state: 'succeeded' });
    const name = /“(.*)”/.exec(operation.message ?? '')?.[1];
    const restored = (await contentOf(at('bo')))[`${name}/INBOX`] ?? [];
    expect(restored[0]).toEqual(before[0]);
    expect(restored[1]?.text).toEqual(before[1]?.text);
    const texts = live.map(({ text }) => text);
    expect(restored.filter(({ text }) => !texts.includes(text))).toEqual([]);
    expect(restored.length).toBeLessThanOrEqual(live.length);
  });
});

describe('the restore of a mailbox', () => {
  /** Domains whose mailboxes are in the snapshot, for a test each. */
  const spare: (typeof domain)[] = [];
  let snapshot = '';

  beforeEach(async () => {
    if (spare.length === 0) {
      for (let count = 0; count < TESTS_OF_SNAPSHOT; count++) spare.push(await makeMailboxes());
      await backUp();
      snapshot = await latestSnapshot();
    }
    domain = spare.pop() ?? domain;
  });

  it('beside adds all folders in a folder of its own, and touches nothing else', async () => {
    const before = await contentOf(at('ann'));
    const operation = await restoreMailbox(snapshot, at('ann'), 'beside');
    expect(operation, textOf(operation)).toMatchObject({ state: 'succeeded' });
    const after = await contentOf(at('ann'));
    const name = /“(.*)”/.exec(operation.message ?? '')?.[1];
    const restored = Object.fromEntries(
      Object.entries(before).map(([path, messages]) => [`${name}/${path}`, messages]),
    );
    expect(after).toEqual({ ...before, ...restored });
  });

  it('in place brings back what was deleted, and keeps what arrived since', async () => {
    const before = await contentOf(at('bo'));
    const imap = await signInToImap(at('bo'), PASSWORD);
    await imap.command('SELECT INBOX');
    await imap.command('STORE 1 +FLAGS (\\Deleted)');
    await imap.command('EXPUNGE');
    const deliver = await openLmtp();
    await deliver(at('bo'), 'Third.');
    const operation = await restoreMailbox(snapshot, at('bo'), 'in_place');
    expect(operation, textOf(operation)).toMatchObject({ state: 'succeeded' });
    const { INBOX = [] } = await contentOf(at('bo'));
    expect(INBOX.slice(0, 2)).toEqual(before.INBOX);
    expect(INBOX[2]?.text).toContain('Third.');
    expect(INBOX).toHaveLength(3);
    await deliver(at('bo'), 'Fourth.');
    expect((await contentOf(at('bo'))).INBOX).toHaveLength(4);
  });

  it('brings back a mailbox that lost all its files, as Dovecot needs them', async () => {
    const before = await contentOf(at('ann'));
    const folders = join(mailServer.data, 'mail', domain.name);
    for (const mode of ['in_place', 'beside'] as const) {
      rmSync(folders, { recursive: true });
      const operation = await restoreMailbox(snapshot, at('ann'), mode);
      expect(operation, textOf(operation)).toMatchObject({ state: 'succeeded' });
      expect(unusableIn(folders)).toEqual([]);
      const place = mode === 'beside' ? `${/“(.*)”/.exec(operation.message ?? '')?.[1]}/` : '';
      const restored = Object.entries(before).map(([path, messages]) => [place + path, messages]);
      expect(await contentOf(at('ann'))).toEqual(Object.fromEntries(restored));
      await expectUsable(at('ann'));
      expect(unusableIn(folders)).toEqual([]);
    }
  });

  it('in place changes nothing while Dovecot can’t use a part of the mailbox, which may have new messages', async () => {
    await expectUsable(at('ann'));
    const before = await contentOf(at('ann'));
    const [id = ''] = readdirSync(join(mailServer.data, 'mail', domain.name, 'ann'));
    const home = join(mailServer.data, 'mail', domain.name, 'ann', id);
    const { uid } = statSync(home);
    for (const path of ['mail', 'mail/mailboxes/INBOX/dbox-Mails/u.1']) {
      chownSync(join(home, path), 0, 0);
      const { state, message } = await restoreMailbox(snapshot, at('ann'), 'in_place');
      const reason = `Dovecot can’t use ${path} in the folder of the mailbox.`;
      expect({ state, message }).toEqual({ state: 'failed', message: expect.stringContaining(reason) });
      expect(message).toContain('Nothing was changed.');
      chownSync(join(home, path), uid, uid);
      expect(await contentOf(at('ann'))).toEqual(before);
    }
    expect(await restoreMailbox(snapshot, at('ann'), 'in_place')).toMatchObject({ state: 'succeeded' });
    expect(await contentOf(at('ann'))).toEqual(before);
    expect(unusableIn(home)).toEqual([]);
  });

  it('in place gives no message a number that another one has had', async () => {
    const deliver = await openLmtp();
    const imap = await signInToImap(at('bo'), PASSWORD);
    for (const body of ['Third.', 'Fourth.', 'Fifth.']) await deliver(at('bo'), body);
    await imap.command('SELECT INBOX');
    await imap.command('UID STORE 3:5 +FLAGS (\\Deleted)');
    await imap.command('EXPUNGE');
    const validity = async () => /UIDVALIDITY \d+/.exec(await imap.command('STATUS INBOX (UIDVALIDITY)'))?.[0];
    const before = await validity();
    await deliver(at('bo'), 'Sixth.');
    expect(await restoreMailbox(snapshot, at('bo'), 'in_place')).toMatchObject({ state: 'succeeded' });
    await deliver(at('bo'), 'Seventh.');
    const again = await signInToImap(at('bo'), PASSWORD);
    const status = await again.command('SELECT INBOX');
    expect(status).toContain(`${before}]`.replace('UIDVALIDITY', '[UIDVALIDITY'));
    const uids = [...(await again.command('FETCH 1:* UID')).matchAll(/UID (\d+)/g)].map(([, uid]) => Number(uid));
    expect(uids).toEqual([1, 2, 7, 8]);
  });

  it('in place gives folders that were made or deleted since the snapshot another UIDVALIDITY', async () => {
    const imap = await signInToImap(at('bo'), PASSWORD);
    const append = async (folder: string) =>
      expect(await imap.command(`APPEND ${folder} () {16+}\r\nSubject: Text\r\n\r\n`)).toMatch(/ OK /);
    const validities = async () => {
      const session = await signInToImap(at('bo'), PASSWORD);
      const found: (string | undefined)[] = [];
      for (const name of ['INBOX', 'Deleted', 'Again', 'Made'])
        found.push(/UIDVALIDITY (\d+)/.exec(await session.command(`STATUS ${name} (UIDVALIDITY)`))?.[1]);
      return found;
    };
    for (const name of ['Deleted', 'Again']) {
      await imap.command(`CREATE ${name}`);
      await append(name);
    }
    await backUp();
    const atSnapshot = await validities();
    await imap.command('CREATE Made');
    for (let count = 0; count < 3; count++) await append('Made');
    await imap.command('SELECT Made');
    await imap.command('STORE 1:2 +FLAGS (\\Deleted)');
    await imap.command('EXPUNGE');
    for (const name of ['Deleted', 'Again']) await imap.command(`DELETE ${name}`);
    await imap.command('CREATE Again');
    await append('Again');
    const before = await validities();
    expect(await restoreMailbox(await latestSnapshot(), at('bo'), 'in_place')).toMatchObject({ state: 'succeeded' });
    const [inbox, ...others] = await validities();
    expect(inbox).toBe(atSnapshot[0]);
    for (const validity of others) {
      expect(validity).toMatch(/^\d+$/);
      expect([...atSnapshot, ...before]).not.toContain(validity);
    }
    const content = await contentOf(at('bo'));
    expect([content.Deleted?.length, content.Again?.length, content.Made?.length]).toEqual([1, 2, 1]);
  });

  it('in place keeps what arrived in folders whose names are options or patterns', async () => {
    const names = ['-F/etc/shadow', '-A', 'Arch*', 'Archive', '[a-z]?', '..b', 'Gr&APwA3w-e', '&JgM-'];
    const imap = await signInToImap(at('bo'), PASSWORD);
    const store = async (text: string) => {
      for (const name of names)
        expect(await imap.command(`APPEND "${name}" () {${text.length}+}\r\n${text}`)).toMatch(/ OK /);
    };
    for (const name of names) expect(await imap.command(`CREATE "${name}"`)).toMatch(/ OK /);
    await store('Subject: Old\r\n\r\n');
    await backUp();
    await store('Subject: New\r\n\r\n');
    await imap.command('CREATE -B');
    await imap.command('APPEND -B () {16+}\r\nSubject: New\r\n\r\n');
    const before = await contentOf(at('bo'));
    for (const mode of ['in_place', 'beside'] as const) {
      const operation = await restoreMailbox(await latestSnapshot(), at('bo'), mode);
      expect(operation, textOf(operation)).toMatchObject({ state: 'succeeded' });
    }
    expect(await contentOf(at('bo'))).toMatchObject(before);
  });
});
