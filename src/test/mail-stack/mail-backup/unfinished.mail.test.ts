import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createRestoreCompletion } from '@/mail/agent/backup/resync';
import { makeDomain, makeMailbox } from '../support/directory';
import { redis } from '../support/dkim-keys';
import { openLmtp } from '../support/lmtp-session';
import {
  backUp,
  checkBackups,
  KEY,
  latestSnapshot,
  listBackups,
  plan,
  restic,
  restoreServer,
} from '../support/mail-backup';
import { mailServer } from '../support/mail-server';
import { textOf } from '../support/operations';

const folder = mkdtempSync(join(tmpdir(), 'postroom-unfinished-'));
const keyFile = join(folder, 'kept-outside');
writeFileSync(keyFile, `${KEY}\n`);
afterAll(() => rmSync(folder, { recursive: true }));

let repository: string;

beforeEach(async () => {
  const target = { kind: 'file' as const, folder: mkdtempSync(join(folder, 'target-')) };
  repository = join(target.folder, 'mail');
  await plan({ target });
});

describe('a snapshot', () => {
  it('without a file that couldn’t be read is listed, and its backup fails with the name', async () => {
    const file = join(mailServer.data, 'mail/unreadable');
    writeFileSync(file, '');
    // Reading it fails, also for root.
    execFileSync('mount', ['--bind', '/proc/1/mem', file]);
    onTestFinished(() => {
      execFileSync('umount', [file]);
      rmSync(file);
    });
    const operation = await backUp();
    const message = '1 file couldn’t be read. Everything else is in the new snapshot.';
    expect(operation, textOf(operation)).toMatchObject({ state: 'failed', message });
    expect(textOf(operation)).toContain(file);
    const { snapshots, mail_servers } = await listBackups();
    expect(snapshots).toHaveLength(1);
    expect(mail_servers).toMatchObject([{ repository, failure: message }]);
  });

  it('is listed although old ones couldn’t be deleted', async () => {
    expect(await backUp()).toMatchObject({ state: 'succeeded' });
    const first = await latestSnapshot();
    const args = ['--repo', repository, '--password-file', keyFile, 'backup', '--stdin'];
    const other = spawn('restic', args, { stdio: ['pipe', 'ignore', 'ignore'] });
    onTestFinished(() => void other.kill('SIGKILL'));
    await expect.poll(() => readdirSync(join(repository, 'locks'))).toHaveLength(1);
    const operation = await backUp();
    expect(operation).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/^The snapshot was taken, but old ones couldn’t be deleted\. Another restic/),
    });
    const { snapshots, mail_servers } = await listBackups();
    expect(snapshots).toHaveLength(2);
    expect(await latestSnapshot()).not.toBe(first);
    expect(mail_servers).toMatchObject([{ last_success_at: expect.any(String), failure: operation.message }]);
    other.kill('SIGKILL');
    await once(other, 'close');
    expect(await backUp()).toMatchObject({ state: 'succeeded' });
    expect(restic(repository, keyFile, 'snapshots', '--json').match(/"short_id"/g)).toHaveLength(3);
  });
});

it('a restic that was killed with the repository to itself delays neither backups nor checks nor a restore', async () => {
  expect(await backUp()).toMatchObject({ state: 'succeeded' });
  const args = ['--repo', repository, '--password-file', keyFile, 'check', '--read-data', '--limit-download', '1'];
  const killed = spawn('restic', args, { stdio: 'ignore' });
  await expect.poll(() => readdirSync(join(repository, 'locks'))).toHaveLength(1);
  expect(await backUp(), 'while it runs').toMatchObject({ message: expect.stringMatching(/^Another restic/) });
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect(restoreServer(keyFile, repository, join(mailServer.config, '../settings'))).toMatchObject({
    stdout: expect.stringMatching(/^Restoring /),
    stderr: expect.stringContaining('Dovecot is running.'),
  });
  expect(await checkBackups()).toMatchObject({ state: 'succeeded' });
  expect(await backUp()).toMatchObject({ state: 'succeeded' });
});

it('Redis rewrites its log after a backup, also if one that was killed had stopped that', async () => {
  await redis.config('SET', 'auto-aof-rewrite-percentage', '0');
  expect(await backUp()).toMatchObject({ state: 'succeeded' });
  expect(await redis.config('GET', 'auto-aof-rewrite-percentage')).toEqual(['auto-aof-rewrite-percentage', '100']);
});

it('only a backup makes a repository', async () => {
  const message = `There is no repository in ${repository}.`;
  expect(await checkBackups()).toMatchObject({ state: 'failed', message });
  expect(existsSync(repository)).toBe(false);
});

it('a mailbox that can’t be completed after a restore of all mail is named, and keeps no other one waiting', async () => {
  const domain = await makeDomain();
  const deliver = await openLmtp();
  const data = mkdtempSync(join(folder, 'data-'));
  const homes: string[] = [];
  for (const name of ['ann', 'bo', 'cy']) {
    const { id } = await makeMailbox(domain.id, name);
    await deliver(`${name}@${domain.name}`, 'Good morning.');
    homes.push(join(mailServer.data, 'mail', domain.name, name, id));
    mkdirSync(join(data, 'mail', domain.name, name), { recursive: true });
  }
  mkdirSync(join(data, 'mail/lost+found/#12'), { recursive: true });
  const mark = join(data, 'mail/.restored');
  writeFileSync(mark, '');
  const [, bad = ''] = homes;
  const inbox = join(bad, 'mail/mailboxes/INBOX');
  const { uid } = statSync(inbox);
  chownSync(inbox, 0, 0);
  const place = { data, config: mailServer.config };
  const complete = createRestoreCompletion(0);
  await expect(complete(place)).rejects.toThrow(`1 mailbox. bo@${domain.name}: `);
  expect(existsSync(mark)).toBe(true);
  expect(await createRestoreCompletion(60_000)({ ...place, data: folder }), 'without a restore').toBe(0);
  chownSync(inbox, uid, uid);
  expect(await complete(place), 'the one that is left').toBe(1);
  expect(existsSync(mark)).toBe(false);
});
