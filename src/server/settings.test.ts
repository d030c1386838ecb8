import { describe, expect, it } from 'vitest';
import { readSettings } from './settings.mjs';

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
      rateLimitPerMinute: 6000,
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readSettings({ PORT: '', ADMIN_EMAIL: '', SMTP_URL: '' })).toEqual(readSettings({}));
  });

  it('lets the address follow the port, and cuts its slash', () => {
    expect(readSettings({ PORT: '4000' }).appUrl).toBe('http://localhost:4000');
    expect(readSettings({ APP_URL: 'https://mail.example.com/' }).appUrl).toBe('https://mail.example.com');
  });

  it('reads lists', () => {
    const keys = ['a'.repeat(32), 'b'.repeat(64)];
    const settings = readSettings({ SECRET_KEY: keys.join(', '), TRUSTED_PROXIES: '10.0.0.0/8,::1' });
    expect(settings).toMatchObject({ secretKeys: keys, trustedProxies: ['10.0.0.0/8', '::1'] });
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(readSettings({}))).toBe(true);
  });

  it.each([
    ['PORT', '0x10'],
    ['PORT', '70000'],
    ['APP_URL', 'mail.example.com'],
    ['APP_URL', 'https://mail.example.com/console'],
    ['DATABASE_URL', 'mysql://localhost/postroom'],
    ['SMTP_URL', 'http://localhost'],
    ['SANDBOX_SMTP_PORT', '0'],
    ['ADMIN_EMAIL', 'admin'],
    ['SECRET_KEY', 'short'],
    ['SECRET_KEY', `${'a'.repeat(32)},short`],
    ['SESSION_TTL_HOURS', '0'],
    ['MAX_MESSAGE_SIZE_MB', '101'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,proxy'],
    ['TRUSTED_PROXIES', '10.1'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['RATE_LIMIT_PER_MINUTE', '-1'],
  ])('says in one sentence what is wrong with %s=%s', (name, value) => {
    expect(problemsOf({ [name]: value })).toContainEqual(expect.stringMatching(new RegExp(`^${name} .+\\.$`)));
  });

  it.each(['short', 'x'.repeat(257)])('refuses a password of the wrong length', (password) => {
    const problems = problemsOf({ ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: password });
    expect(problems).toEqual([expect.stringMatching(/^ADMIN_PASSWORD is too (short|long): /)]);
  });

  it('wants both parts of the first admin', () => {
    const sentence = 'ADMIN_EMAIL and ADMIN_PASSWORD belong together: set both of them or neither.';
    expect(problemsOf({ ADMIN_EMAIL: 'admin@example.com' })).toEqual([sentence]);
    expect(problemsOf({ ADMIN_PASSWORD: 'correct horse battery' })).toEqual([sentence]);
  });

  it('names every problem at once, and no secret', () => {
    const problems = problemsOf({ PORT: 'x', SECRET_KEY: 'hunter2', DATABASE_URL: 'mysql://root:hunter2@db/x' });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('hunter2');
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
