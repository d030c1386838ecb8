import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KEY, restic, restoreServer } from '../support/mail-backup';

const HOSTS = ['one.example', 'two.example'];

const folder = mkdtempSync(join(tmpdir(), 'postroom-several-hosts-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'kept-outside');
const repository = join(folder, 'repository');
const settings = join(folder, 'restored/settings');

const restore = (...more: string[]) => restoreServer(keyFile, repository, ...more);

beforeAll(() => {
  writeFileSync(keyFile, `${KEY}\n`);
  restic(repository, keyFile, 'init');
  mkdirSync(join(folder, 'backups/host'), { recursive: true });
  mkdirSync(join(folder, 'data/mail/a.example'), { recursive: true });
  for (const host of HOSTS) {
    writeFileSync(join(folder, 'backups/host/settings'), `HOSTNAME=${host}\nDATA_DIR=${folder}/data\n`);
    const args = ['backup', '--host', host, '--tag', 'postroom-mail', 'backups/host'];
    execFileSync('restic', ['--repo', repository, '--password-file', keyFile, ...args], { cwd: folder });
  }
});

it('a mail server is not restored from the snapshot of another one in the same repository', () => {
  const refused = restore(settings);
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('of several mail servers') });
  for (const host of HOSTS) expect(refused.stderr).toContain(host);
  const id = /"short_id":"(\w+)"/.exec(
    restic(repository, keyFile, 'snapshots', '--json', '--host', 'one.example'),
  )?.[1];
  const named = restore(settings, String(id));
  expect(named).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Restoring one\.example as of 20/) });
  expect(readFileSync(settings, 'utf8')).toContain('HOSTNAME=one.example');
  // Refused only after it has chosen the snapshot, for the mail in the data folder.
  const next = restore(settings);
  expect(next).toMatchObject({ status: 1, stdout: expect.stringContaining('Restoring one.example') });
  writeFileSync(settings, readFileSync(settings, 'utf8').replace('one.example', 'three.example'));
  const other = restore(settings);
  expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining('There is no such snapshot') });
});
