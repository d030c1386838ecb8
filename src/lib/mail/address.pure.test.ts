import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cpuMsOf } from '@/test/main-thread';
import { addressError, normalizeDomainName, parseAddress } from './address';

describe('parseAddress', () => {
  it.each([
    ['a@example.com', 'a@example.com'],
    ['First.Last+tag@Example.COM', 'First.Last+tag@example.com'],
    ["o'brien/x=y?z@example.com", "o'brien/x=y?z@example.com"],
    ['{a}|b~c^d`e*f#g$h&i@example.com', '{a}|b~c^d`e*f#g$h&i@example.com'],
    ['bounces+user=example.org@example.com', 'bounces+user=example.org@example.com'],
    ['max@bücher.example', 'max@xn--bcher-kva.example'],
    ['max@BÜCHER.example', 'max@xn--bcher-kva.example'],
    ['max@xn--bcher-kva.example', 'max@xn--bcher-kva.example'],
    ['a@例え.テスト', 'a@xn--r8jz45g.xn--zckzah'],
    ['a@1.2.3.example', 'a@1.2.3.example'],
    [' a@example.com\t', 'a@example.com'],
    ['\u00a0a@example.com\u3000', 'a@example.com'],
    ['a@example.com.', 'a@example.com'],
    ['a@BÜCHER.example. ', 'a@xn--bcher-kva.example'],
    [`${'l'.repeat(64)}@example.com`, `${'l'.repeat(64)}@example.com`],
    [`a@${'d'.repeat(63)}.com`, `a@${'d'.repeat(63)}.com`],
  ])('accepts %j', (text, address) => {
    expect(parseAddress(text)?.address).toBe(address);
  });

  it.each([
    ['nothing', ''],
    ['no at sign', 'example.com'],
    ['no local part', '@example.com'],
    ['no domain', 'a@'],
    ['two at signs', 'a@b@example.com'],
    ['a display name', 'Ann <a@example.com>'],
    ['angle brackets', '<a@example.com>'],
    ['a comma-separated list', 'a@example.com, b@example.com'],
    ['a comma without space', 'a@example.com,b@example.com'],
    ['a semicolon list', 'a@example.com;b@example.com'],
    ['a group', 'friends:a@example.com;'],
    ['a source route', '@hop.example:a@example.com'],
    ['a comment', 'a(comment)@example.com'],
    ['a comment in the domain', 'a@example.com(comment)'],
    ['a quoted local part', '"a"@example.com'],
    ['a quoted local part with an address in it', '"a@evil.example"@example.com'],
    ['a backslash', 'a\\b@example.com'],
    ['the percent hack', 'victim%evil.example@example.com'],
    ['a bang path', 'evil.example!victim@example.com'],
    ['a leading dot', '.a@example.com'],
    ['a trailing dot', 'a.@example.com'],
    ['two dots in a row', 'a..b@example.com'],
    ['an inner space', 'a b@example.com'],
    ['a space before the at sign', 'a @example.com'],
    ['a tab', 'a\t@example.com'],
    ['CR and LF around it', '\r\na@example.com'],
    ['a zero-width space after it', 'a@example.com\u200b'],
    ['two trailing dots', 'a@example.com..'],
    ['only the dot of the root', 'a@.'],
    ['CR', 'a\r@example.com'],
    ['LF', 'a@example.com\n'],
    ['CRLF and a command', 'a@example.com>\r\nRCPT TO:<b@evil.example'],
    ['NUL', 'a\0@example.com'],
    ['NUL in the domain', 'a@exa\0mple.com'],
    ['a lone high surrogate', 'a\ud800@example.com'],
    ['a lone low surrogate in the domain', 'a@ex\udc00ample.com'],
    ['a non-ASCII local part', 'jörg@example.com'],
    ['a full-width at sign', 'a＠example.com'],
    ['a right-to-left override', 'a@exam\u202eple.com'],
    ['a zero-width space', 'a@exam\u200bple.com'],
    ['a soft hyphen', 'a@exam\u00adple.com'],
    ['a no-break space', 'a@exam\u00a0ple.com'],
    ['a local part of 65', `${'l'.repeat(65)}@example.com`],
    ['a label of 64', `a@${'d'.repeat(64)}.com`],
    ['more than 254 in all', `${'l'.repeat(64)}@${`${'d'.repeat(46)}.`.repeat(4)}com`],
  ])('refuses %s', (_case, text) => {
    expect(parseAddress(text)).toBeNull();
  });

  it.each([
    [null],
    [undefined],
    [7],
    [['a@example.com']],
    [{ path: '/etc/passwd' }],
    [{ toString: () => 'a@example.com' }],
  ])('refuses %j, which is no string', (value) => {
    expect(parseAddress(value)).toBeNull();
  });

  it('changes nothing when it reads its own result again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), addressLike()), (text) => {
        const parsed = parseAddress(text);
        if (parsed) expect(parseAddress(parsed.address)).toEqual(parsed);
      }),
    );
  });

  it('accepts only what is safe on an SMTP command line', () => {
    fc.assert(
      fc.property(addressLike(), (text) => {
        const parsed = parseAddress(text);
        if (!parsed) return;
        expect(parsed.address).toMatch(/^[\x21-\x7e]{3,254}$/);
        expect(parsed.address).not.toMatch(/[<>()[\]\\,;:"%!\s]/);
        expect(parsed.address.split('@')).toEqual([parsed.local, parsed.domain]);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the local part as it was written', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z0-9+_-]{1,64}$/), (local) => {
        expect(parseAddress(`${local}@example.com`)?.local).toBe(local);
      }),
    );
  });

  it('answers in linear time whatever is repeated', async () => {
    const hostile = ['a', '.', 'a.', '@', '\u0301', 'xn--', '。', '"', '(', ' ', '\u00a0'].map((part) =>
      part.repeat(1_000_000),
    );
    const parseAll = () => {
      for (const text of hostile) {
        expect(parseAddress(text)).toBeNull();
        expect(parseAddress(`${text.slice(0, 120)}@${text.slice(0, 120)}`)).toBeNull();
      }
    };
    expect(await cpuMsOf(parseAll)).toBeLessThan(5_000);
  });
});

describe('normalizeDomainName', () => {
  it.each([
    ['Example.COM', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['faß.example', 'xn--fa-hia.example'],
    ['a。example', 'a.example'],
    ['ab--cd.example', 'ab--cd.example'],
    ['example.com.', 'example.com'],
    [' example.com。 ', 'example.com'],
    ['localhost.localdomain', 'localhost.localdomain'],
    ['Example.0xYZ', 'example.0xyz'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
  ])('turns %j into %j', (text, name) => {
    expect(normalizeDomainName(text)).toBe(name);
  });

  it.each([
    ['a single label', 'localhost'],
    ['an IPv4 address', '192.168.0.1'],
    ['a short IPv4 address', '127.1'],
    ['a hexadecimal IPv4 address', '0x7f.0.0.1'],
    ['full-width digits', '１.２.３.４'],
    ['an IPv6 literal', '[::1]'],
    ['an SMTP address literal', '[192.168.0.1]'],
    ['a numeric top-level domain', 'example.123'],
    ['a hexadecimal top-level domain', 'example.0x1'],
    ['a hexadecimal top-level domain without digits', 'example.0x'],
    ['a port', 'example.com:25'],
    ['a path', 'example.com/x'],
    ['user information', 'user@example.com'],
    ['a query', 'example.com?x'],
    ['percent encoding', 'ex%61mple.com'],
    ['full-width percent encoding', '％41.example'],
    ['a leading dot', '.example.com'],
    ['two trailing dots', 'example.com..'],
    ['a single label and the root', 'localhost.'],
    ['a line break after it', 'example.com\n'],
    ['an empty label', 'example..com'],
    ['a leading hyphen', '-a.example.com'],
    ['a trailing hyphen', 'a-.example.com'],
    ['an underscore', '_dmarc.example.com'],
    ['a wildcard', '*.example.com'],
    ['broken Punycode', 'xn--zzzzzz.com'],
    ['a name of 254', `${'a.'.repeat(125)}abcd`],
    [
      'a name that encoding makes too long',
      `${'ü'.repeat(60)}.${'ö'.repeat(60)}.${'ä'.repeat(60)}.${'é'.repeat(60)}.example`,
    ],
    ['nothing', ''],
  ])('refuses %s', (_case, text) => {
    expect(normalizeDomainName(text)).toBeNull();
  });
});

function addressLike() {
  const piece = fc.oneof(
    fc.constantFrom(
      '@',
      '.',
      '-',
      '+',
      ' ',
      ',',
      '"',
      '<',
      '>',
      '%',
      '!',
      '\r\n',
      '\0',
      '[',
      ']',
      ':',
      ';',
      'xn--',
      '。',
    ),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.stringMatching(/^[a-z0-9]{1,8}$/),
  );
  const parts = fc.array(piece, { maxLength: 5 }).map((list) => list.join(''));
  return fc.oneof(
    fc.tuple(parts, parts).map(([local, domain]) => `${local}@${domain}`),
    fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), parts).map(([local, domain]) => `${local}@${domain}.example`),
    parts,
  );
}

describe('addressError', () => {
  it.each([
    ['jürgen@bücher.example', 'ü'],
    ['ju\u0308rgen@example.com', 'ü'],
    [' o’brien@example.com ', '’'],
    ['用户@例え.テスト', '用'],
    ['a.🎉@example.com', '🎉'],
  ])('names the character of %j that needs SMTPUTF8', (text, character) => {
    expect(addressError(text, 'Other.')).toBe(
      `“${character}” isn’t supported before the @: it needs SMTPUTF8, which Postroom doesn’t use. Use only ASCII characters there.`,
    );
    expect(parseAddress(text)).toBeNull();
  });

  it.each([
    'nobody',
    'jürgen',
    'jürgen@',
    'jür gen@example.com',
    'ü@localhost',
    'a\u200b@example.com',
    '"ü"@example.com',
    '',
    7,
  ])('says nothing of SMTPUTF8 about %j', (text) => {
    expect(addressError(text, 'Other.')).toBe('Other.');
  });
});
