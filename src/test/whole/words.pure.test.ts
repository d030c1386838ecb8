import { describe, expect, it } from 'vitest';
import { findReplacedWords } from '../../../scripts/checks/check-words.mjs';

describe('the word check', () => {
  it.each([
    ['Deliveries will stand here', '"will stand"'],
    ['The mail server puts it off.', '"puts it off"'],
    ['// what became of\n// the message', '"became of the"'],
    ['const folio = useMay();', '"folio"'],
    ['At most 60 requests a minute', '"requests a minute"'],
    ['see rules.md 4', '"rules.md"'],
    ['/** Of the domain. */', '"Of"'],
    ['// Those of others.', '"Those"'],
    ['/** What is shown. */', '"What"'],
    ['// Such as "12 of 48".', '"Such as"'],
  ])('finds %j', (text, found) => {
    expect(findReplacedWords('a.ts', text)[0]).toContain(`a.ts:1: ${found}, write `);
  });

  it('reports the line', () => {
    expect(findReplacedWords('a.ts', 'one\ntwo\nmended')).toEqual(['a.ts:3: "mended", write "fix"']);
  });

  it.each([
    'Two at once give one winner.',
    'docs/contributing/security-rules.md',
    'recommended',
    'portfolio',
    'profits',
    '// One.\n// That is all.',
  ])('accepts %j', (text) => expect(findReplacedWords('a.ts', text)).toEqual([]));
});
