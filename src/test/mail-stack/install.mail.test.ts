import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { mailServer } from './support/mail-server';

const DEPLOY = fileURLToPath(new URL('../../../deploy', import.meta.url));
const releaseOf = (version: string, name: string) =>
  `ID=debian\nVERSION_ID="${version}"\nPRETTY_NAME="Debian GNU/Linux ${version} (${name})"\n`;
const DEBIAN = releaseOf('12', 'bookworm');
const REPLACED = ['apt-get', 'debconf-set-selections', 'dpkg', 'dpkg-query', 'psql', 'runuser', 'systemctl'];
const READ_INPUT = ['debconf-set-selections', 'runuser'];
let folder: string;
const settings = () => join(folder, 'config/settings');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postroom-install-'));
  chmodSync(folder, 0o755);
  cpSync(DEPLOY, join(folder, 'deploy'), { recursive: true });
  writeFileSync(join(folder, '.env'), 'DATABASE_URL=postgresql://app@localhost/app\nSECRET_KEY=a\n');
  mkdirSync(join(folder, 'commands'));
  for (const name of REPLACED) {
    const command = join(folder, 'commands', name);
    // Else the one who writes the input may fail.
    const readInput = READ_INPUT.includes(name) ? 'cat >/dev/null' : '';
    writeFileSync(command, `#!/bin/sh\necho "${name} $*" >>${folder}/ran\n${readInput}\n`, { mode: 0o755 });
  }
  return () => rmSync(folder, { recursive: true });
});

function writeSettings(over: Record<string, string> = {}) {
  mkdirSync(join(folder, 'config'));
  const all: Record<string, string> = { ...mailServer.settings, DATA_DIR: join(folder, 'data'), ...over };
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  writeFileSync(settings(), `${lines.join('\n')}\n`);
}

/** Runs the installer in a mount namespace of its own, with replaced commands. */
function install(osRelease: string, env: Record<string, string> = {}) {
  writeFileSync(join(folder, 'os-release'), osRelease);
  const steps = [
    'mkdir -p /etc/logrotate.d',
    'mount -t tmpfs none /etc/logrotate.d',
    `mount --bind ${folder}/os-release /etc/os-release`,
    `PATH=${folder}/commands:$PATH ${folder}/deploy/mail/install ${settings()}`,
  ];
  const { status, stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', steps.join(' && ')], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const ran = existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8') : '';
  return { status, stdout, stderr, ran };
}

describe('the installer', () => {
  it('refuses an unsupported Debian before it does anything', () => {
    const { status, stderr, ran } = install(releaseOf('11', 'bullseye'));
    expect(stderr).toContain('packages of Debian 12 and 13, and this host is Debian GNU/Linux 11 (bullseye)');
    expect({ status, ran, hasSettings: existsSync(settings()) }).toEqual({ status: 1, ran: '', hasSettings: false });
  });

  it('replaces no other mail server', () => {
    writeSettings();
    const other = `#!/bin/sh\necho 'installed msmtp-mta mail-transport-agent'\n`;
    writeFileSync(join(folder, 'commands/dpkg-query'), other, { mode: 0o755 });
    const { status, stderr, ran } = install(DEBIAN);
    expect(stderr).toMatch(/Debian replaces msmtp-mta, .*: apt remove msmtp-mta\nNothing was changed\.\n$/);
    expect({ status, asked: /apt-get/.test(ran) }).toEqual({ status: 1, asked: false });
  });

  it('accepts Debian 12, prepares the role in the local Postgres at the port of DATABASE, and explains SMTP_URL', () => {
    writeSettings({ DATABASE: 'postgresql://mta_read:a-password@127.0.0.1:5999/letters' });
    const { status, stdout, ran } = install(DEBIAN);
    expect(ran).toMatch(/^runuser -u postgres -- psql .*-p 5999 -d letters$/m);
    expect(ran).toMatch(/^apt-get install .* logrotate/m);
    const { HOSTNAME, SUBMISSIONS_PORT } = mailServer.settings;
    expect(stdout).toContain('The configuration is in');
    expect(stdout).toContain(`SMTP_URL=smtps://postroom:APP_PASSWORD@${HOSTNAME}:${SUBMISSIONS_PORT}`);
    expect(status).toBe(0);
  });

  it('accepts Debian 13, and passes no password in arguments, which every user of the host can read', () => {
    const own = 'postgresql://mta_read:own-password@127.0.0.1:5999/letters';
    writeSettings({ DATABASE: own });
    const report = `#!/bin/sh\nprintf 'psql %s, %s\\n' "$*" "$PGPASSWORD" >>${folder}/ran\ncat >/dev/null\n`;
    writeFileSync(join(folder, 'commands/psql'), report, { mode: 0o755 });
    const superuser = 'postgresql://postgres:a%20b%40c%5Cn@127.0.0.1:5999/letters';
    const { status, stdout, ran } = install(releaseOf('13', 'trixie'), { DATABASE_ADMIN_URL: superuser });
    expect(ran).toMatch(/^apt-get install /m);
    expect(stdout).toContain('The configuration is in');
    expect(ran.match(/ postgresql:.*/g)).toEqual([
      ' postgresql://postgres@127.0.0.1:5999/letters, a b@c\\n',
      ' postgresql://mta_read@127.0.0.1:5999/letters, own-password',
    ]);
    expect(status).toBe(0);
  });

  describe('with the Postgres of DATABASE on another host', () => {
    beforeEach(() => writeSettings({ DATABASE: 'postgresql://mta_read:a-password@db.example.com:5432/letters' }));

    it('does nothing without DATABASE_ADMIN_URL while the role can’t use the database', () => {
      writeFileSync(join(folder, 'commands/psql'), '#!/bin/sh\nexit 2\n', { mode: 0o755 });
      const { status, stderr, ran } = install(DEBIAN);
      expect(stderr).toBe(
        "The Postgres of DATABASE is on another host, and mta_read can't use it yet: set DATABASE_ADMIN_URL to the URL of a role that can create it (docs/installation.md#a-database-on-another-host).\n",
      );
      expect({ status, ran }).toEqual({ status: 1, ran: '' });
    });

    it('needs no DATABASE_ADMIN_URL once the role can use it, and no network if all packages are installed', () => {
      writeFileSync(join(folder, 'commands/dpkg-query'), '#!/bin/sh\necho installed\n', { mode: 0o755 });
      const { status, ran } = install(DEBIAN);
      expect({ status, asked: /runuser|apt-get/.test(ran) }).toEqual({ status: 0, asked: false });
      expect(ran).toMatch(/^psql .* postgresql:\/\/mta_read@db\.example\.com:5432\/letters$/m);
    });
  });
});
