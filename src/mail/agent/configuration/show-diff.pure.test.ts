import { describe, expect, it } from 'vitest';
import type { LineKind } from '@/lib/mail/operations';
import type { Difference } from './compare';
import { hideSecrets, reportDiff, secretsIn } from './show-diff';

function file(path: string, text: string, hasSecret: boolean) {
  return { path, text, hasSecret, mode: 0o640, gid: 0 };
}

function changed(path: string, before: string, after: string, hasSecret = false): Difference {
  return { path, kind: 'changed', before, file: file(path, after, hasSecret) };
}

function shown(...differences: Difference[]): string[] {
  const lines: string[] = [];
  reportDiff(differences, (_: LineKind, text) => void lines.push(text));
  return lines;
}

describe('the diff of a configuration', () => {
  it('shows the lines that change, with those around them', () => {
    expect(shown(changed('postfix/main.cf', 'a = 1\nb = 2\n', 'a = 1\nb = 3\n'))).toEqual([
      'Changes: postfix/main.cf',
      '@@ -1,2 +1,2 @@',
      ' a = 1',
      '-b = 2',
      '+b = 3',
    ]);
  });

  it('hides secrets, those of the settings and those that are in the files', () => {
    const redis = changed(
      'redis.conf',
      'maxmemory 64mb\nrequirepass former-password-123\n',
      'maxmemory 65mb\nrequirepass current-password-456\n',
      true,
    );
    const environment = changed('environment', 'REDIS_PASSWORD=former-password-123\n', 'REDIS_PASSWORD=x\n', true);
    const text = shown(redis, environment).join('\n');
    expect(text).not.toMatch(/former-password|current-password|REDIS_PASSWORD/);
    expect(text).toContain('-requirepass [hidden]\n');
    expect(text).toContain('-maxmemory 64mb\n');
    expect(secretsIn([redis, environment])).toEqual(['former-password-123', 'former-password-123']);
  });

  it.each([
    ['connect = host=db password=a-secret-value', 'a-secret-value'],
    ['password = "a-secret-value";', 'a-secret-value'],
    ['auth_policy_server_api_header = Authorization: Bearer a-secret-value', 'a-secret-value'],
    ['auth_policy_hash_nonce = a-secret-value', 'a-secret-value'],
    ['postroom/smtp:{PLAIN}a-secret-value', 'a-secret-value'],
    ['[smtp.far.example]:587 shop@far.example:a:secret', 'a:secret'],
  ])('finds the secret of a file in: %s', (line, secret) => {
    expect(secretsIn([changed('a', line, '', true)])).toContain(secret);
    expect(hideSecrets(`It said ${secret}.`, [secret, ''])).toBe('It said [hidden].');
  });

  it('never shows the password of a relay, the former one neither', () => {
    const line = (password: string) => `[smtp.far.example]:587 shop@far.example:${password}\n`;
    for (const after of [line('another-one-5'), '']) {
      const difference = changed('postfix/relay-credentials', line('8d1f0c77e2ab4-9b1c'), after, true);
      expect(shown(difference).join('\n')).not.toMatch(/8d1f0c77|another-one/);
      expect(secretsIn([difference])).toContain('8d1f0c77e2ab4-9b1c');
    }
  });

  it('never shows the content of files that are not generated', () => {
    expect(shown({ path: 'rspamd/local.d/own.conf', kind: 'extra' })).toEqual([
      'Not generated, stays as it is: rspamd/local.d/own.conf',
    ]);
  });

  it('is bounded', () => {
    const long = Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join('\n');
    expect(shown({ path: 'a', kind: 'missing', file: file('a', long, false) })).toHaveLength(202);
  });

  it('says so if only permissions differ', () => {
    expect(shown(changed('a', 'same', 'same'))).toEqual(['Changes: a', '  Only its permissions or its group.']);
  });
});
