import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonTokens } from './json-tokens';

const textOf = (json: string) =>
  jsonTokens(json)
    ?.map(({ text }) => text)
    .join('');

it('formats JSON as JSON.stringify does, whatever it contains', () => {
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
      const json = JSON.stringify(value);
      expect(textOf(json)).toBe(JSON.stringify(JSON.parse(json), null, 2));
    }),
  );
});

it('leaves every value as it is written', () => {
  expect(textOf('{"id":12345678901234567890,"rate":1.00,"e":"\\u00e9","a" : [ ]}')).toBe(
    '{\n  "id": 12345678901234567890,\n  "rate": 1.00,\n  "e": "\\u00e9",\n  "a": []\n}',
  );
});

it('tells keys, strings, numbers and literals apart', () => {
  const kinds = jsonTokens('{"key":"a: \\"b\\", {","n":-1.5e3,"t":true,"list":[null,"x"]}')
    ?.filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text }) => [kind, text]);
  expect(kinds).toEqual([
    ['key', '"key"'],
    ['string', '"a: \\"b\\", {"'],
    ['key', '"n"'],
    ['number', '-1.5e3'],
    ['key', '"t"'],
    ['literal', 'true'],
    ['key', '"list"'],
    ['literal', 'null'],
    ['string', '"x"'],
  ]);
});

it.each(['', 'OK', '"text"', '12', '{"cut": "of', '<html>{}</html>', `["${'x'.repeat(100_000)}"]`])(
  'has none for what isn’t an object or array, or is too long: %.20s',
  (text) => {
    expect(jsonTokens(text)).toBeNull();
  },
);
