import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readSnippets, withSnippet } from '../../deploy/mail/custom.mjs';
import { CUSTOM_FILES } from '../lib/mail/operations';

const config = mkdtempSync(join(tmpdir(), 'postroom-custom-'));
afterAll(() => rmSync(config, { recursive: true }));

it('are none without the folder, and those that are there', () => {
  expect(readSnippets(config)).toEqual({});
  mkdirSync(join(config, 'custom'));
  for (const name of [...CUSTOM_FILES, '.dovecot.swp', 'dovecot~', '#rspamd#'])
    writeFileSync(join(config, 'custom', name), 'a');
  expect(readSnippets(config)).toEqual({
    dovecot: 'a\n',
    'postfix-main': 'a\n',
    'postfix-master': 'a\n',
    rspamd: 'a\n',
  });
  writeFileSync(join(config, 'custom/postfix'), '');
  expect(() => readSnippets(config)).toThrow(
    "custom/postfix isn't one of postfix-main, postfix-master, dovecot, rspamd",
  );
});

it('are refused with a setting of Postfix twice', () => {
  rmSync(join(config, 'custom/postfix'));
  writeFileSync(join(config, 'custom/postfix-main'), '# Mine.\nbiff=no\nb = 2\n  biff\n');
  expect(Object.keys(readSnippets(config))).toHaveLength(4);
  writeFileSync(join(config, 'custom/postfix-main'), 'my-relay_rate = 1\nb = 2\nmy-relay_rate=2\n');
  expect(() => readSnippets(config)).toThrow('custom/postfix-main has my-relay_rate twice');
});

it('replace the settings of Postfix that they name, with continued lines', () => {
  const generated = '# Head.\na = 1\nb =\n  one\n# Between.\n  two\nbc = 3\n\n# Tail.\nd = $b\n';
  const text = withSnippet('postfix/main.cf', generated, { 'postfix-main': '# Mine.\nb = 2\n  more\nnew=5\n' });
  expect(text).toBe(
    '# Head.\na = 1\n# Between.\nbc = 3\n\n# Tail.\nd = $b\n\n# custom/postfix-main\n# Mine.\nb = 2\n  more\nnew=5\n',
  );
});

it('replace the services of Postfix that they name, by name and type', () => {
  const generated =
    'smtp      inet  n - n - - smtpd\n  -o a=b\nsmtp      unix  - - n - - smtp\nlmtp unix - - n - - lmtp\n';
  const text = withSnippet('postfix/master.cf', generated, {
    'postfix-master': 'smtp inet n - n - 5 smtpd\n  -o c=d\n',
  });
  expect(text).toBe(
    'smtp      unix  - - n - - smtp\nlmtp unix - - n - - lmtp\n\n# custom/postfix-master\nsmtp inet n - n - 5 smtpd\n  -o c=d\n',
  );
});

it('leave other files as they are', () => {
  expect(withSnippet('postfix/maps/domains.cf', 'a', { 'postfix-main': 'b\n' })).toBe('a');
  expect(withSnippet('dovecot/custom.conf', '# Head.\n', { dovecot: 'a = b\n' })).toBe(
    '# Head.\n\n# custom/dovecot\na = b\n',
  );
  expect(withSnippet('dovecot/custom.conf', '# Head.\n', {})).toBe('# Head.\n');
});
