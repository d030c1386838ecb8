import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOfSettings } from '../../../scripts/write-settings.mjs';
import { SETTINGS } from './declarations.mjs';
import { readSecretFiles } from './secret-files.mjs';
import { readSetting, readSettings, settingNames, warningAbout } from './settings.mjs';

describe('SETTINGS', () => {
  it.each(filesOfSettings())('are in $path as declared: npm run write:settings writes it', ({ path, text }) => {
    expect(readFileSync(path, 'utf8')).toBe(text);
    for (const name of settingNames) expect(text).toContain(name);
  });

  it.each(settingNames)('show an example and a page for %s that exist', (name) => {
    const { example = '', see } = SETTINGS[name];
    // The key is cut short, so that nobody encrypts to it.
    if (name === 'BACKUP_RECIPIENTS') expect(readSetting(name, example)).toHaveProperty('problem');
    else expect(readSetting(name, example)).toHaveProperty('value');
    if (see) expect(existsSync(new URL(`../../../docs/${see}`, import.meta.url))).toBe(true);
  });

  it('say in each problem what is set instead', () => {
    const problems = settingNames.flatMap((name) => problemsOf({ [name]: '\0' }));
    expect(problems).toContain('PORT must be a whole number from 1 to 65535; the default is 3000.');
    expect(problems).toContain(
      'DATABASE_URL must be a postgres:// or postgresql:// URL such as postgresql://user:password@host:5432/database; leave it out for an embedded one in DATA_DIR.',
    );
    expect(problems).toContain(
      'TRUSTED_PROXIES must list addresses or ranges separated by commas, such as 10.0.0.5,192.168.0.0/16.',
    );
  });
});

it('gives each address of a name a second to connect', () => {
  expect(getDefaultAutoSelectFamilyAttemptTimeout()).toBe(1_000);
});

it.each([
  ['postgres://u:p@/db?host=/run/postgresql', 'postgres://u:p@%2Frun%2Fpostgresql/db?'],
  ['postgresql:///db?host=%2Frun%2Fpg&user=u', 'postgresql://%2Frun%2Fpg/db?user=u'],
  ['postgres://u:p@db/name?sslmode=require', 'postgres://u:p@db/name?sslmode=require'],
])('the socket of DATABASE_URL may be an option: %s', (given, value) => {
  expect(readSetting('DATABASE_URL', given)).toEqual({ value });
});

it.each(['postgres:///db', 'postgres://u@/db?host=db'])('%s names no host', (given) => {
  expect(readSetting('DATABASE_URL', given)).toHaveProperty('problem');
});

describe('secrets in files', () => {
  const read = (env: Record<string, string | undefined>, content?: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'postroom-secrets-'));
    const file = join(folder, 'secret');
    if (content !== undefined) writeFileSync(file, content);
    const all = { ...env, SECRET_KEY_FILE: file };
    const problems = readSecretFiles(all, ['SECRET_KEY', 'DATABASE_URL']);
    rmSync(folder, { recursive: true });
    return { problems: problems.map((text) => text.replaceAll(folder, '…')), env: all };
  };

  it.each(['of a secret', 'of a secret\n', 'of a secret\r\n'])(
    'are read without the end of the line: %j',
    (content) => {
      expect(read({ PORT: '1' }, content)).toEqual({ problems: [], env: { PORT: '1', SECRET_KEY: 'of a secret' } });
    },
  );

  it('are refused beside the setting, if they are empty, and if they are missing', () => {
    expect(read({ SECRET_KEY: 'other' }, 'a').problems).toEqual(['Set SECRET_KEY or SECRET_KEY_FILE, not both.']);
    expect(read({}, '\n').problems).toEqual(['SECRET_KEY_FILE names an empty file: …/secret.']);
    expect(read({}).problems).toEqual([expect.stringMatching(/^SECRET_KEY_FILE can't be read: ENOENT/)]);
  });

  it('are read for these settings alone', () => {
    expect(read({ OTHER_FILE: '/nowhere' }, 'a')).toMatchObject({ problems: [], env: { OTHER_FILE: '/nowhere' } });
  });
});

describe('readSettings', () => {
  it('has a default for everything', () => {
    expect(readSettings({})).toMatchObject({
      port: 3000,
      appUrl: 'http://localhost:3000',
      databaseUrl: undefined,
      smtpUrl: undefined,
      sandboxSmtpPort: 2525,
      secretKeys: [],
      sessionTtlHours: 24,
      maxMessageSizeMb: 50,
      trustedProxies: [],
      oidcProviders: [],
      rateLimitPerMinute: 6000,
    });
  });

  it('treats an empty variable as unset', () => {
    expect(readSettings({ PORT: '', ADMIN_EMAIL: '', SMTP_URL: '' })).toEqual(readSettings({}));
  });

  it('derives the URL from the port, and removes its trailing slash', () => {
    expect(readSettings({ PORT: '4000' }).appUrl).toBe('http://localhost:4000');
    expect(readSettings({ APP_URL: 'https://mail.example.com/' }).appUrl).toBe('https://mail.example.com');
  });

  it('reads lists', () => {
    const keys = ['a'.repeat(32), 'b'.repeat(64)];
    const settings = readSettings({ SECRET_KEY: keys.join(', '), TRUSTED_PROXIES: '10.0.0.0/8,::1' });
    expect(settings).toMatchObject({ secretKeys: keys, trustedProxies: ['10.0.0.0/8', '::1'] });
  });

  it('reads identity providers, without email linking by default', () => {
    const providers = [provider(), provider({ id: 'two', linkVerifiedEmail: true, issuer: 'http://127.0.0.1:9/x/' })];
    expect(readSettings({ OIDC_PROVIDERS: JSON.stringify(providers) }).oidcProviders).toEqual([
      { ...provider(), linkVerifiedEmail: false },
      providers[1],
    ]);
  });

  it('takes the URL of a provider’s configuration for its issuer', () => {
    const issuerOf = (issuer: string) =>
      readSettings({ OIDC_PROVIDERS: JSON.stringify([provider({ issuer })]) }).oidcProviders[0]?.issuer;
    expect(issuerOf('https://id.example.com/a/.well-known/openid-configuration')).toBe('https://id.example.com/a');
  });

  it('reads the content store: a folder, by default in DATA_DIR, or a bucket', () => {
    const credentials = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const store = (CONTENT_STORE: string) => readSettings({ CONTENT_STORE, ...credentials }).contentStore;
    expect(readSettings({ DATA_DIR: '/data' }).contentStore).toEqual({ kind: 'file', folder: '/data/content' });
    expect(store('file:/srv/mail')).toEqual({ kind: 'file', folder: '/srv/mail' });
    expect(store('file:///srv/mail')).toEqual({ kind: 'file', folder: '/srv/mail' });
    expect(store('s3://mail')).toEqual({
      kind: 's3',
      bucket: 'mail',
      prefix: '',
      endpoint: undefined,
      region: 'us-east-1',
    });
    expect(store('s3://mail/a/b/?endpoint=http://10.0.0.5:9000&region=garage')).toMatchObject({
      prefix: 'a/b',
      endpoint: 'http://10.0.0.5:9000',
      region: 'garage',
    });
    expect(store('s3://mail?endpoint=https://oss-eu-central-1.aliyuncs.com&style=virtual')).toMatchObject({
      style: 'virtual',
    });
  });

  it.each([
    'file:',
    '/srv/mail',
    's3://',
    's3://id:secret@mail',
    's3://mail?endpoint=ftp://x',
    's3://mail?acl=public',
    's3://mail?style=path',
    'gs://mail',
  ])('rejects CONTENT_STORE=%s in one sentence', (value) => {
    expect(() => readSettings({ CONTENT_STORE: value })).toThrow(/^CONTENT_STORE must look like file:/);
  });

  it('requires the credentials of a bucket', () => {
    expect(() => readSettings({ CONTENT_STORE: 's3://mail', AWS_ACCESS_KEY_ID: 'id' })).toThrow(
      'CONTENT_STORE is a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to its credentials.',
    );
  });

  it.each([
    ['no JSON', '{'],
    ['an object instead of a list', '{}'],
    ['an unknown field', JSON.stringify([provider({ scope: 'openid' })])],
    ['a missing field', JSON.stringify([provider({ clientId: undefined })])],
    ['an empty secret', JSON.stringify([provider({ clientSecret: '' })])],
    ['an id with other characters', JSON.stringify([provider({ id: 'a/b' })])],
    ['an id that is too long', JSON.stringify([provider({ id: 'a'.repeat(41) })])],
    ['a duplicate id', JSON.stringify([provider(), provider()])],
    ['an issuer over plain http', JSON.stringify([provider({ issuer: 'http://id.example.com' })])],
    ['a host that only starts like loopback', JSON.stringify([provider({ issuer: 'http://127.0.0.1.evil.com' })])],
    ['an issuer with a query', JSON.stringify([provider({ issuer: 'https://id.example.com/?a=b' })])],
    ['an issuer with a password', JSON.stringify([provider({ issuer: 'https://a:b@id.example.com' })])],
    ['an issuer that is not a URL', JSON.stringify([provider({ issuer: 'id.example.com' })])],
    [
      'the issuer of any tenant',
      JSON.stringify([provider({ issuer: 'https://login.microsoftonline.com/common/v2.0' })]),
    ],
    ['a string for a boolean', JSON.stringify([provider({ linkVerifiedEmail: 'yes' })])],
    ['no way to authenticate', JSON.stringify([provider({ tokenEndpointAuthMethod: 'none' })])],
  ])('rejects OIDC_PROVIDERS with %s in one sentence without secrets', (_, value) => {
    const problems = problemsOf({ OIDC_PROVIDERS: value });
    expect(problems).toEqual([expect.stringMatching(/^OIDC_PROVIDERS is not valid: .+[^.]\.$/)]);
    expect(problems.join()).not.toMatch(/hunter2|Invalid input/);
  });

  it('looks addresses and domains up at blocklists unless they are off', () => {
    expect(readSettings({})).toMatchObject({
      blocklists: ['zen.spamhaus.org', 'bl.spamcop.net'],
      domainBlocklists: ['dbl.spamhaus.org'],
    });
    expect(readSettings({ BLOCKLISTS: 'off', DOMAIN_BLOCKLISTS: 'A.example, b.example' })).toMatchObject({
      blocklists: [],
      domainBlocklists: ['a.example', 'b.example'],
    });
  });

  it('normalizes origins like browsers', () => {
    const { corsOrigins } = readSettings({ CORS_ORIGINS: 'https://App.example.com/, http://localhost:5173' });
    expect(corsOrigins).toEqual(['https://app.example.com', 'http://localhost:5173']);
  });

  it.each(['redis://localhost:6379', 'rediss://:secret@redis.example.com:6380/2'])('accepts REDIS_URL=%s', (url) => {
    expect(readSettings({ REDIS_URL: url }).redisUrl).toBe(url);
  });

  it.each(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])('accepts LOG_LEVEL=%s', (level) => {
    expect(readSettings({ LOG_LEVEL: level }).logLevel).toBe(level);
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(readSettings({}))).toBe(true);
  });

  it.each([
    ['PORT', '0x10'],
    ['PORT', '70000'],
    ['HOST', 'localhost'],
    ['HOST', '127.0.0.1:3000'],
    ['APP_URL', 'mail.example.com'],
    ['APP_URL', 'https://mail.example.com/console'],
    ['DATABASE_URL', 'mysql://localhost/postroom'],
    ['SMTP_URL', 'http://localhost'],
    ['MAIL_HOST', 'localhost'],
    ['MAIL_HOST', 'mail_1.example.com'],
    ['SANDBOX_SMTP_PORT', '0'],
    ['ADMIN_EMAIL', 'admin'],
    ['SECRET_KEY', 'short'],
    ['SECRET_KEY', `${'a'.repeat(32)},short`],
    ['METRICS_TOKEN', 'short'],
    ['ALERT_EMAILS', 'ops@example.com,ops'],
    ['ALERT_EMAILS', 'Ops <ops@example.com>'],
    ['ALERT_EMAILS', Array.from({ length: 21 }, (_, at) => `ops${at}@example.com`).join()],
    ['ALERT_FROM', 'postroom'],
    ['HEARTBEAT_URL', 'http://hc-ping.com/check'],
    ['HEARTBEAT_URL', 'https://user:secret@hc-ping.com/check'],
    ['HEARTBEAT_URL', 'hc-ping.com/check'],
    ['SESSION_TTL_HOURS', '0'],
    ['MAX_MESSAGE_SIZE_MB', '101'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,proxy'],
    ['TRUSTED_PROXIES', '10.1'],
    ['DNS_SERVERS', 'dns.example.com'],
    ['BLOCKLISTS', 'zen.spamhaus.org,none'],
    ['DOMAIN_BLOCKLISTS', 'off,dbl.spamhaus.org'],
    ['CERTIFICATE_ISSUER', 'Let’s Encrypt'],
    ['RELAY_SPF', 'include:_spf.example.net'],
    ['RELAY_SPF', '__spf.example.net'],
    ['RELAY_SPF', 'a._example'],
    ['DNS_SERVERS', '127.0.0.1:0'],
    ['DNS_SERVERS', '[127.0.0.1]:53'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['RATE_LIMIT_PER_MINUTE', '-1'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'http://localhost:6379'],
    ['REDIS_URL', 'redis://'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'null'],
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com/path'],
    ['CORS_ORIGINS', 'https://user@app.example.com'],
    ['CORS_ORIGINS', 'https://*.example.com/'],
    ['CORS_ORIGINS', 'https://app.example.com,ftp://app.example.com'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_LEVEL', 'INFO'],
  ])('rejects %s=%s in one sentence', (name, value) => {
    expect(problemsOf({ [name]: value })).toContainEqual(expect.stringMatching(new RegExp(`^${name} .+\\.$`)));
  });

  it.each(['short', 'x'.repeat(257)])('rejects a password of the wrong length', (password) => {
    const problems = problemsOf({ ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: password });
    expect(problems).toEqual([expect.stringMatching(/^ADMIN_PASSWORD is too (short|long): /)]);
  });

  it('requires both parts of the first admin', () => {
    const sentence = 'ADMIN_EMAIL and ADMIN_PASSWORD belong together: set both or neither.';
    expect(problemsOf({ ADMIN_EMAIL: 'admin@example.com' })).toEqual([sentence]);
    expect(problemsOf({ ADMIN_PASSWORD: 'correct horse battery' })).toEqual([sentence]);
  });

  it('reports every problem at once, without secrets', () => {
    const problems = problemsOf({ PORT: 'x', SECRET_KEY: 'hunter2', DATABASE_URL: 'mysql://root:hunter2@db/x' });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('hunter2');
  });
});

function provider(over: object = {}) {
  const required = { id: 'corp', name: 'Corp', issuer: 'https://id.example.com', clientId: 'postroom' };
  return { ...required, clientSecret: 'hunter2', ...over };
}

describe('warningAbout', () => {
  it.each([
    'http://mail.example.com',
    'http://192.168.1.10:3000',
    'http://localhost.example.com',
    'http://[2001:db8::1]',
  ])('warns in one sentence that nobody can sign in at %s', (appUrl) => {
    expect(warningAbout({ appUrl })).toMatch(/^Nobody can sign in at [^\n]+https[^\n]+\.$/);
    expect(warningAbout({ appUrl })).toContain(appUrl);
  });

  it.each([
    'https://mail.example.com',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://127.1.2.3',
    'http://[::1]:3000',
    'http://mail.localhost',
  ])('does not warn about %s', (appUrl) => {
    expect(warningAbout({ appUrl })).toBeUndefined();
  });
});

function problemsOf(env: Record<string, string>): string[] {
  try {
    readSettings(env);
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
}
