import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { GENERATIONS } from '../../deploy/mail/dovecot.mjs';
import { nameOnWholeHost, readSettings, withSettings } from '../../deploy/mail/settings.mjs';
import { accessErrors } from '../../deploy/mail/unit-access.mjs';

const folder = mkdtempSync(join(tmpdir(), 'postroom-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

const [key, certificate, otherKey] = ['key.pem', 'certificate.pem', 'other.pem'].map((name) => join(folder, name));
const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=mail.example.com'];
for (const file of [String(otherKey), String(key)]) {
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', file, '-out', String(certificate)], { stdio: 'ignore' });
}

const VALID = {
  HOSTNAME: 'mail.example.com',
  POSTMASTER: 'postmaster@example.com',
  DATABASE: 'postgresql://mta_read:secret@127.0.0.1:5432/postroom',
  TLS_CERTIFICATE: certificate,
  TLS_KEY: key,
  APP_PASSWORD: 'a-password-of-the-app',
  REDIS_PASSWORD: 'a-password-of-redis',
  TLD_FILE: certificate,
};

function read(over: Record<string, string | undefined> = {}, extra = '') {
  const file = join(folder, 'settings');
  const lines = Object.entries({ ...VALID, ...over }).map(([name, value]) =>
    value === undefined ? '' : `${name}=${value}`,
  );
  writeFileSync(file, `# A comment.\n${lines.join('\n')}\n${extra}\n`);
  return readSettings(file);
}

describe("the mail server's settings", () => {
  it('provide every value that the templates use', () => {
    const { values, errors } = read();
    expect(errors).toEqual([]);
    const templates = 'deploy/mail/templates';
    const files = readdirSync(templates, { recursive: true }).map((path) => join(templates, String(path)));
    const texts = files.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path, 'utf8'));
    const used = new Set(texts.flatMap((text) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => String(name))));
    expect(used.size).toBeGreaterThan(20);
    for (const ofDovecot of Object.values(GENERATIONS)) {
      const known = { ...values, ...ofDovecot };
      expect([...used].filter((name) => !(name in known)).toSorted()).toEqual(['config', 'dovecot', 'settings']);
    }
  });

  it('name TLS to the database in the words of Dovecot and Postfix', () => {
    const { values } = read({ DATABASE: `${VALID.DATABASE}?sslmode=require` });
    const authorities = '/etc/ssl/certs/ca-certificates.crt';
    expect(values).toMatchObject({
      database_tls: `sslmode=verify-full sslrootcert=${authorities}`,
      database_tls_lines: `    sslmode = verify-full\n    sslrootcert = ${authorities}`,
      database_tls_environment: `PGSSLMODE=verify-full PGSSLROOTCERT=${authorities}`,
    });
    expect(read().values).toMatchObject({ database_tls: '', database_tls_lines: '', database_tls_environment: '' });
  });

  it.each([
    ['HOSTNAME', 'mail', /^HOSTNAME must be a full host name/],
    ['HOSTNAME', 'mail.example.com\tx', /^HOSTNAME must be/],
    ['POSTMASTER', 'postmaster@example.com }', /^POSTMASTER must be/],
    ['DATABASE', 'mysql://mta_read:secret@127.0.0.1/postroom', /^DATABASE must look like postgresql:/],
    ['DATABASE', "postgresql://mta_read:se'cret@127.0.0.1/postroom", /^DATABASE must look like/],
    ['DATABASE', `${VALID.DATABASE}?host=/tmp`, /^DATABASE must look like/],
    ['DATABASE', `${VALID.DATABASE}?sslrootcert=/x%0Ay`, /^DATABASE must look like/],
    ['TLS_KEY', otherKey, /^TLS_KEY doesn't belong to TLS_CERTIFICATE\.$/],
    ['TLS_KEY', '/nowhere/key.pem', /^TLS_KEY can't be read: /],
    ['TLS_CERTIFICATE', key, /^TLS_CERTIFICATE and TLS_KEY must be a certificate and its key in PEM/],
    ['APP_PASSWORD', 'short', /^APP_PASSWORD must have 16 to 128 characters/],
    ['REDIS_PASSWORD', 'with "quotes" and spaces', /^REDIS_PASSWORD must have/],
    ['SMTP_PORT', '70000', /^SMTP_PORT must be a whole number from 1 to 65535\.$/],
    ['SMTP_PORT', '143', /^Each port must be different\.$/],
    ['DATA_DIR', 'var/mail', /^DATA_DIR must be an absolute path/],
    ['BIND_ADDRESSES', 'localhost', /^BIND_ADDRESSES must be "all", or IP addresses/],
    ['NETWORK_CHECKS', 'true', /^NETWORK_CHECKS must be yes or no\.$/],
    ['RELAY_TLS', 'none', /^RELAY_TLS must be may, encrypt or secure\.$/],
    ['RELAY_USER', 'me', /^RELAY_USER and RELAY_PASSWORD go together\.$/],
    ['GREYLISTING', 'off', /^GREYLISTING must be yes or no\.$/],
    ['RELAY_HOST', 'a host', /^RELAY_HOST must be a host/],
    ['TRUSTED_FORWARDERS', '192.0.2.1, mx.example.net', /^TRUSTED_FORWARDERS must be IP addresses or networks/],
    ['TRUSTED_FORWARDERS', '192.0.2.0/33', /^TRUSTED_FORWARDERS must be/],
    ['TRUSTED_FORWARDERS', '2001:db8::/48/1', /^TRUSTED_FORWARDERS must be/],
    ['DNS_SERVERS', 'ns.example.com', /^DNS_SERVERS must be IPv4 addresses/],
    ['MESSAGE_SIZE_MB', '1.5', /^MESSAGE_SIZE_MB must be a whole number/],
    ['DATABASE', undefined, /^DATABASE is missing in /],
    ['TLS_KEY', undefined, /^Set TLS_CERTIFICATE and TLS_KEY, or ACME_EMAIL/],
    ['ACME_EMAIL', 'admin@example.com', /^Set ACME_EMAIL, or TLS_CERTIFICATE and TLS_KEY, not both\.$/],
    ['APP_PASSWORD', 'choose-another-password', /^APP_PASSWORD is still that of the example/],
  ])('are rejected with one sentence if %s is %s', (name, value, sentence) => {
    expect(read({ [name]: value }).errors).toEqual([expect.stringMatching(sentence)]);
  });

  it('refuse a relay whose port begins with TLS, which needn’t be there', () => {
    const relay = (port: number) => read({ RELAY_HOST: `[smtp.example.net]:${port}`, RELAY_TLS: 'may' }).errors;
    expect(relay(465)).toEqual([expect.stringMatching(/^With port 465 in RELAY_HOST, RELAY_TLS must be/)]);
    expect(relay(587)).toEqual([]);
  });

  describe('with ACME', () => {
    const files = { TLS_CERTIFICATE: undefined, TLS_KEY: undefined, ACME_EMAIL: 'admin@example.com' };

    it('have the certificate in the data folder, with all names', () => {
      const { values, errors } = read({
        ...files,
        ACME_NAMES: 'imap.example.com, smtp.example.com',
        DATA_DIR: '/srv/mail',
      });
      expect(errors).toEqual([]);
      expect(values).toMatchObject({
        tls_certificate: '/srv/mail/tls/certificate.pem',
        tls_key: '/srv/mail/tls/key.pem',
        acme_names: 'imap.example.com,smtp.example.com',
        acme_server: 'https://acme-v02.api.letsencrypt.org/directory',
      });
    });

    it.each([
      ['ACME_EMAIL', 'admin', /^ACME_EMAIL must be one email address\.$/],
      ['ACME_SERVER', 'http://acme.example.com/directory', /^ACME_SERVER must be the https URL/],
      ['ACME_SERVER', 'https://acme.example.com/$(id)', /^ACME_SERVER must be/],
      ['ACME_NAMES', 'imap', /^ACME_NAMES must be full host names/],
      ['ACME_HTTP_ADDRESS', '80', /^ACME_HTTP_ADDRESS must look like :80/],
      ['ACME_DNS_PROVIDER', 'hetzner', /^Set both ACME_DNS_PROVIDER and ACME_DNS_CREDENTIALS/],
      ['ACME_CA_FILE', '/nowhere/ca.pem', /^ACME_CA_FILE can't be read: /],
    ])('are rejected with one sentence if %s is %s', (name, value, sentence) => {
      expect(read({ ...files, [name]: value }).errors).toEqual([expect.stringMatching(sentence)]);
    });
  });

  it('report all errors together, with the line of each unknown setting', () => {
    expect(read({ HOSTNAME: 'x', SMTP_PORT: '0' }, 'SMPT_PORT=25\nnonsense\nHOSTNAME=y').errors).toEqual([
      expect.stringMatching(/^Unknown setting SMPT_PORT in line \d+\.$/),
      expect.stringMatching(/^Line \d+ of .* isn't KEY=value\.$/),
      'HOSTNAME is set twice.',
      expect.stringMatching(/^HOSTNAME must be/),
      expect.stringMatching(/^SMTP_PORT must be/),
    ]);
  });

  describe('in the file of a whole host', () => {
    const ofMailServer = Object.entries(VALID).map(([name, value]) => `${nameOnWholeHost(name)}=${value}`);
    const readHost = (...lines: string[]) => {
      const file = join(folder, 'host-settings');
      writeFileSync(file, ['APP_URL=https://mail.example.com', ...ofMailServer, ...lines].join('\n'));
      return readSettings(file);
    };

    it('begin with MAIL_, and those of the app are left to it', () => {
      const lines = ['DATA_DIR=/srv/app', 'NETWORK_CHECKS=true', 'MAIL_SERVER_CONFIG=/etc/postroom-mail', 'S3=x'];
      const { values, errors } = readHost(...lines, 'MAIL_UID=6000', 'MAIL_RELAY_HOST=[smtp.example.net]:587');
      expect(errors).toEqual([]);
      expect(values).toMatchObject({
        hostname: 'mail.example.com',
        data: '/var/lib/postroom-mail',
        network_checks: true,
        mail_uid: '6000',
        relay_host: '[smtp.example.net]:587',
      });
    });

    it('are rejected by the names they have there', () => {
      expect(readHost('MAIL_GREYLISTIGN=no', 'MAIL_RELAY_USER=me', 'MAIL_MESSAGE_SIZE_MB=0').errors).toEqual([
        expect.stringMatching(/^Unknown setting MAIL_GREYLISTIGN in line \d+\.$/),
        'MAIL_MESSAGE_SIZE_MB must be a whole number from 1 to 1000.',
        'MAIL_RELAY_USER and MAIL_RELAY_PASSWORD go together.',
      ]);
      expect(readHost('MAIL_HOST=b.example.com').errors).toEqual(['MAIL_HOST is set twice.']);
    });

    it.each([
      ['HOSTNAME', 'mail.example.com'],
      ['DATABASE', VALID.DATABASE],
      ['MAIL_UID', '6000'],
      ['DATA_DIR', ''],
    ])('are read by shell scripts, too: %s', (name, value) => {
      readHost('MAIL_UID=6000', 'DATA_DIR=/srv/app', 'UID=1');
      const script = `source deploy/mail/settings-file; settings=$1; setting "$2"`;
      const args = ['-euc', script, 'bash', join(folder, 'host-settings'), name];
      expect(execFileSync('bash', args, { encoding: 'utf8' }).trim()).toBe(value);
    });
  });

  it.each(['ACME', 'TLS'])('are valid in the example with %s except for what to fill in', (way) => {
    const example = readFileSync('deploy/mail/settings.example', 'utf8').replaceAll(/^#([A-Z_]+=)/gm, '$1');
    const other = way === 'ACME' ? /^TLS_.*\n/gm : /^ACME_.*\n/gm;
    const file = join(folder, 'example');
    writeFileSync(file, example.replaceAll(other, ''));
    const { errors } = readSettings(file);
    const toFillIn = /^(TLS_CERTIFICATE|TLS_KEY|TLD_FILE) can't be read|is still that of the example/;
    expect(errors.filter((error) => !toFillIn.test(error))).toEqual([]);
  });

  it.each([
    ['', ''],
    ['MAIL_HOST=mail.example.com\n', 'MAIL_'],
  ])('are changed in place, after "%s"', (first, prefix) => {
    const text = `${first}# Ours.\n${prefix}RELAY_USER = old\n#${prefix}RELAY_TLS=may\n${prefix}RELAY_PASSWORD=gone\nOTHER=1\n\n`;
    const values = { RELAY_HOST: '[relay.example]:587', RELAY_USER: 'new', RELAY_PASSWORD: null, RELAY_TLS: null };
    const changed = withSettings(text, values);
    expect(changed).toBe(
      `${first}# Ours.\n${prefix}RELAY_USER=new\n#${prefix}RELAY_TLS=may\nOTHER=1\n${prefix}RELAY_HOST=[relay.example]:587\n`,
    );
    expect(withSettings(changed, values)).toBe(changed);
  });

  describe('and what the units can use', () => {
    it.each([
      [
        'TLS_CERTIFICATE',
        '/root/certificate.pem',
        /^TLS_CERTIFICATE is \/root\/certificate\.pem, .* move the file to \/etc\/ssl/,
      ],
      ['TLS_KEY', '/home/ann/key.pem', /^TLS_KEY is /],
      ['TLD_FILE', '/tmp/suffixes', /^TLD_FILE is /],
      ['DATA_DIR', '/home/mail', /^DATA_DIR is \/home\/mail, .* use a folder like \/var\/lib\/postroom-mail/],
      ['DATA_DIR', '/usr/local/mail', /^DATA_DIR is /],
    ])('%s: not %s', (name, value, sentence) => {
      expect(accessErrors({ [name]: value })).toEqual([expect.stringMatching(sentence)]);
    });

    it.each([
      ['TLS_CERTIFICATE', '/etc/letsencrypt/live/mail.example.com/fullchain.pem'],
      ['TLS_KEY', '/etc/ssl/rooted/key.pem'],
      ['DATA_DIR', '/srv/mail/new'],
    ])('%s: %s', (name, value) => {
      expect(accessErrors({ [name]: value })).toEqual([]);
    });

    it('not what a link leads to elsewhere', () => {
      const file = openSync(String(certificate), 'r');
      const link = `/proc/${process.pid}/fd/${file}`;
      expect(accessErrors({ TLS_CERTIFICATE: link })).toEqual([expect.stringMatching(/^TLS_CERTIFICATE is \/proc/)]);
      closeSync(file);
      const open = openSync(folder, 'r');
      const data = `/proc/${process.pid}/fd/${open}/not/there/yet`;
      expect(accessErrors({ DATA_DIR: data })).toEqual([expect.stringMatching(/^DATA_DIR is \/proc/)]);
      closeSync(open);
    });
  });
});
