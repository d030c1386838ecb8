import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { waitUntilUnused } from '@/mail/agent/backup/mailbox/doveadm';
import { makeWork, recoverRestores } from '@/mail/agent/backup/mailbox/work';
import { readInstallation } from '@/mail/agent/installation';
import { makeDomain, makeMailbox } from '../support/directory';
import { openLmtp } from '../support/lmtp-session';
import { backUp, contentOf, latestSnapshot, plan, restoreMailbox } from '../support/mail-backup';
import { mailServer } from '../support/mail-server';

const folder = mkdtempSync(join(tmpdir(), 'postroom-planted-'));
afterAll(() => rmSync(folder, { recursive: true }));
const mail = join(mailServer.data, 'mail');
const { uid } = readInstallation(mailServer.config).filters;

/** Root's, with a file: nothing may change it. */
let victim: string;
let address: string;
let home: string;

const stateOf = (path: string) => {
  const { uid: owner, mode } = lstatSync(path);
  return { owner, mode: (mode & 0o777).toString(8), names: readdirSync(path) };
};
const UNCHANGED = { owner: 0, mode: '700', names: ['file'] };

beforeEach(async () => {
  await plan({ target: { kind: 'file', folder: mkdtempSync(join(folder, 'target-')) } });
  victim = mkdtempSync(join(folder, 'victim-'));
  writeFileSync(join(victim, 'file'), '');
  const domain = await makeDomain();
  const mailbox = await makeMailbox(domain.id, 'ann');
  address = `ann@${domain.name}`;
  home = join(mail, domain.name, 'ann', mailbox.id);
  const deliver = await openLmtp();
  await deliver(address, 'Good morning.');
});

/** As the owner of the mail could: what is there is moved aside until the test ends. */
function plant(path: string): void {
  renameSync(path, `${path}.aside`);
  symlinkSync(victim, path);
  onTestFinished(() => {
    rmSync(path, { recursive: true, force: true });
    renameSync(`${path}.aside`, path);
  });
}

describe('the owner of the mail', () => {
  it('cannot have root undo a restore that never was', async () => {
    const restores = join(mail, '.restore');
    const work = join(restores, randomUUID());
    mkdirSync(work, { recursive: true });
    writeFileSync(
      join(work, 'journal.json'),
      JSON.stringify({ home: victim, uid, gid: uid, mode: 0o777, folder: '..' }),
    );
    for (const path of [restores, work, join(work, 'journal.json')]) chownSync(path, uid, uid);
    expect(await backUp()).toMatchObject({ state: 'succeeded' });
    rmSync(work, { recursive: true, force: true });
    plant(restores);
    expect(await backUp()).toMatchObject({ state: 'succeeded' });
    expect(stateOf(victim)).toEqual(UNCHANGED);
    const restored = await restoreMailbox(await latestSnapshot(), address, 'in_place');
    expect(restored).toMatchObject({ state: 'failed', message: expect.stringContaining('Permission denied') });
    expect(stateOf(victim)).toEqual(UNCHANGED);
  });

  it.each(['in_place', 'beside'] as const)('gets no folder of root by a symlink in its tree (%s)', async (mode) => {
    await backUp();
    const snapshot = await latestSnapshot();
    const before = await contentOf(address);
    for (const path of [home, join(home, 'mail'), join(home, '..')]) {
      renameSync(path, `${path}.aside`);
      symlinkSync(victim, path);
      const { state, message } = await restoreMailbox(snapshot, address, mode);
      rmSync(path);
      renameSync(`${path}.aside`, path);
      expect({ state, message }, path).toEqual({
        state: 'failed',
        message: expect.stringMatching(/isn’t a real folder|Permission denied/),
      });
      expect(stateOf(victim)).toEqual(UNCHANGED);
    }
    expect(await contentOf(address)).toEqual(before);
  });

  it('gets no folder of root as the one for restored messages', async () => {
    await backUp();
    plant(join(home, 'mail/mailboxes'));
    expect(await restoreMailbox(await latestSnapshot(), address, 'beside')).toMatchObject({ state: 'failed' });
    expect(stateOf(victim)).toEqual(UNCHANGED);
  });
});

it('undoes nothing outside of the folder of all mail, and goes on with the next restore', async () => {
  const data = mkdtempSync(join(folder, 'data-'));
  const restores = join(data, 'backups/restore');
  const gone = `a.example/ann/${randomUUID()}`;
  const kept = ['../../etc/cron.d/x', `a.example/../${randomUUID()}`, `../x/${randomUUID()}`, '', gone].map((place) => {
    const id = randomUUID();
    mkdirSync(join(restores, id), { recursive: true, mode: 0o700 });
    writeFileSync(join(restores, id, 'journal.json'), JSON.stringify({ folder: place }));
    return id;
  });
  mkdirSync(join(data, 'mail'));
  // The owner of the mail gets there.
  for (const path of [folder, data]) chmodSync(path, 0o755);
  mkdirSync(join(restores, randomUUID()));
  const failed: string[] = [];
  await recoverRestores({ data, filters: { port: 0, uid } }, (_, path) => failed.push(basename(path)));
  expect(failed.toSorted()).toEqual(kept.toSorted());
  expect(readdirSync(restores).toSorted()).toEqual(kept.toSorted());
});

it('records restores only where nobody but root can write', async () => {
  const data = mkdtempSync(join(folder, 'data-'));
  mkdirSync(join(data, 'mail'));
  chownSync(join(data, 'mail'), uid, uid);
  for (const path of [folder, data]) chmodSync(path, 0o755);
  const make = () => makeWork({ data, filters: { port: 0, uid } }, randomUUID());
  const backups = join(data, 'backups');
  symlinkSync(victim, backups);
  await expect(make()).rejects.toThrow(`${backups} isn’t a real folder`);
  rmSync(backups);
  mkdirSync(backups, { mode: 0o755 });
  await expect(make()).rejects.toThrow(`${backups} must belong to root, with mode 0700.`);
  chmodSync(backups, 0o700);
  mkdirSync(join(backups, 'restore'), { mode: 0o700 });
  chownSync(join(backups, 'restore'), uid, uid);
  await expect(make()).rejects.toThrow(`${join(backups, 'restore')} must belong to root`);
  rmSync(join(backups, 'restore'), { recursive: true });
  const { vault } = await make();
  expect(stateOf(vault)).toEqual({ owner: 0, mode: '700', names: [] });
  expect(stateOf(victim)).toEqual(UNCHANGED);
});

describe('a data folder', () => {
  it('that is a symlink is named as the kernel and restic name it', () => {
    const link = join(folder, 'link');
    symlinkSync(mailServer.data, link);
    const config = mkdtempSync(join(folder, 'config-'));
    const environment = readFileSync(join(mailServer.config, 'environment'), 'utf8');
    writeFileSync(join(config, 'environment'), environment.replaceAll(`${mailServer.data}\n`, `${link}\n`));
    expect(readFileSync(join(config, 'environment'), 'utf8')).toContain(link);
    expect(readInstallation(config).data).toBe(realpathSync(mailServer.data));
  });

  it('with a symlink in the place of a folder is not backed up as if it were', async () => {
    renameSync(join(mailServer.data, 'rspamd'), join(mailServer.data, 'rspamd.aside'));
    symlinkSync('rspamd.aside', join(mailServer.data, 'rspamd'));
    const operation = await backUp();
    rmSync(join(mailServer.data, 'rspamd'));
    renameSync(join(mailServer.data, 'rspamd.aside'), join(mailServer.data, 'rspamd'));
    const message = expect.stringContaining('/rspamd is a symlink, so what is in it wouldn’t be backed up.');
    expect(operation).toMatchObject({ state: 'failed', message });
  });

  it('has mailboxes whose use is noticed through a symlink', async () => {
    const real = mkdtempSync(join(folder, 'home-'));
    mkdirSync(join(real, 'mail'));
    writeFileSync(join(real, 'mail/index'), '');
    const link = join(folder, 'home');
    symlinkSync(real, link);
    const file = openSync(join(real, 'mail/index'), 'r');
    expect(await waitUntilUnused(join(link, 'mail'), { withinMs: 300 })).toBe(false);
    closeSync(file);
    expect(await waitUntilUnused(join(link, 'mail'))).toBe(true);
  });
});
