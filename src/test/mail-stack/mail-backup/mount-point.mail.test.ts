import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KEY, restic, restoreServer } from '../support/mail-backup';

const MAIL_UID = 4321;
const MESSAGE = 'mail/a.example/ann/0/mail/mailboxes/INBOX/dbox-Mails/u.1';
const MOUNTED = ['mail', 'tls'];
const TEXT = 'Good morning. '.repeat(2_000);

const folder = mkdtempSync(join(tmpdir(), 'postroom-mount-point-'));
const data = join(folder, 'data');
const keyFile = join(folder, 'kept-outside');
const repository = join(folder, 'repository');
const settings = join(folder, 'settings');
const unmount = () => {
  for (const name of MOUNTED.filter((each) => existsSync(join(data, each)))) execFileSync('umount', [join(data, name)]);
};
afterAll(() => {
  unmount();
  rmSync(folder, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const namesIn = (path: string) => readdirSync(join(data, path)).toSorted();
const inAside = (path: string) => namesIn(path).filter((name) => name.startsWith('.before-restore-'));

beforeAll(() => {
  const source = mkdtempSync(join(folder, 'source-'));
  write(join(source, MESSAGE), TEXT);
  write(join(source, 'mail/lost+found/#12'), '');
  write(join(source, 'tls/key.pem'), 'restored');
  write(join(source, 'backups/host/places'), '');
  write(keyFile, `${KEY}\n`);
  write(settings, `HOSTNAME=mail.example\nDATA_DIR=${data}\nMAIL_UID=${MAIL_UID}\n`);
  restic(repository, keyFile, 'init');
  const args = ['backup', '--host', 'mail.example', '--tag', 'postroom-mail', 'mail', 'tls', 'backups/host'];
  execFileSync('restic', ['--repo', repository, '--password-file', keyFile, ...args], { cwd: source });
});

beforeEach(() => {
  unmount();
  rmSync(data, { recursive: true, force: true });
  for (const name of MOUNTED) {
    mkdirSync(join(data, name), { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=10m', 'tmpfs', join(data, name)]);
    mkdirSync(join(data, name, 'lost+found'), { mode: 0o700 });
  }
});

const restore = () => restoreServer(keyFile, repository, settings);

describe('a restore of a mail server whose folders are mount points', () => {
  it('puts what was in them aside, and restores into them', () => {
    write(join(data, 'mail/b.example/file'), 'Former.');
    write(join(data, 'tls/key.pem'), 'former');
    const { status, stdout, stderr } = restore();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const name of MOUNTED) {
      const [aside = ''] = inAside(name);
      expect(stdout).toContain(`Put what was in ${join(data, name)} aside, in ${join(data, name, aside)}.`);
      expect(namesIn(`${name}/lost+found`)).toEqual([]);
    }
    expect(namesIn('mail')).toEqual([expect.stringMatching(/^\.before-/), '.restored', 'a.example', 'lost+found']);
    expect(namesIn(join('mail', ...inAside('mail')))).toEqual(['b.example']);
    expect(readFileSync(join(data, 'tls', ...inAside('tls'), 'key.pem'), 'utf8')).toBe('former');
    expect(readFileSync(join(data, 'tls/key.pem'), 'utf8')).toBe('restored');
    expect(readFileSync(join(data, MESSAGE), 'utf8')).toBe(TEXT);
    for (let path = MESSAGE; path !== '.'; path = dirname(path))
      expect(lstatSync(join(data, path)).uid, path).toBe(MAIL_UID);
    expect(readdirSync(data)).not.toContain('.restore');
  });

  it('puts nothing aside if they were empty', () => {
    expect(restore()).toMatchObject({ status: 0, stdout: expect.not.stringContaining('aside') });
    expect(namesIn('mail')).toEqual(['.restored', 'a.example', 'lost+found']);
  });

  it('changes nothing if there is no room for the mail', () => {
    write(join(data, 'mail/b.example/file'), 'Former.');
    execFileSync('mount', ['-o', 'remount,size=16k', join(data, 'mail')]);
    expect(restore()).toMatchObject({ status: 1, stderr: expect.stringContaining('Nothing was changed.') });
    expect(namesIn('mail')).toEqual(['b.example', 'lost+found']);
    expect(namesIn('tls')).toEqual(['lost+found']);
  });
});
