import { describe, expect, it } from 'vitest';
import { readLabelFields } from './label-fields';

const read = (tags: string[], metadata: string[] = []) => readLabelFields({ tags, metadata });
const problemOf = (tags: string[], metadata: string[] = []) => read(tags, metadata).problems.join(' | ');

describe('the header fields with tags and metadata', () => {
  it.each([
    [['kind=receipt, team=shop'], { kind: 'receipt', team: 'shop' }],
    [[' kind = receipt ,,team=shop,'], { kind: 'receipt', team: 'shop' }],
    [['kind=receipt', 'team=shop'], { kind: 'receipt', team: 'shop' }],
    [['a_b-1=x.y@z'], { 'a_b-1': 'x.y@z' }],
    [[' , '], {}],
  ])('have the tags of %j', (fields, tags) => {
    expect(read(fields)).toEqual({ tags, metadata: undefined, problems: [] });
  });

  it.each([
    [['receipt'], 'Write tags as kind=receipt, team=shop.'],
    [['kind=a=b'], 'Write tags as kind=receipt, team=shop.'],
    [['kind=a, kind=b'], 'Name each tag once.'],
    [['kind=a', 'kind=a'], 'Name each tag once.'],
    [['kind='], 'Use 1 to 256 letters, digits and _ - . @ in the value of a tag.'],
    [['kind=a b'], 'Use 1 to 256 letters, digits and _ - . @ in the value of a tag.'],
    [['=a'], 'Use 1 to 256 letters, digits, _ and - in the name of a tag, a letter or digit first.'],
    [['__proto__=a'], 'Use 1 to 256 letters, digits, _ and - in the name of a tag, a letter or digit first.'],
    [[Array.from({ length: 11 }, (_, n) => `t${n}=x`).join()], 'Enter at most 10 tags.'],
  ])('say what is wrong with the tags %j', (fields, problem) => {
    expect(problemOf(fields)).toBe(`X-Postroom-Tags: ${problem}`);
    expect(read(fields, ['{"a": 1}'])).toMatchObject({ tags: undefined, metadata: { a: 1 } });
  });

  it('have the metadata in their order', () => {
    const { metadata, problems } = read([], ['{"z": 1042, "a": {"note": "Grüße 🎉", "none": null}}']);
    expect(JSON.stringify(metadata)).toBe('{"z":1042,"a":{"note":"Grüße 🎉","none":null}}');
    expect(problems).toEqual([]);
    expect(read([], ['null'])).toMatchObject({ metadata: {}, problems: [] });
  });

  const OBJECT = 'Enter a JSON object such as {"order": 1042}.';
  it.each([
    ['', OBJECT],
    ['order=1042', OBJECT],
    ['[1]', OBJECT],
    ['"x"', OBJECT],
    ['{"a": 1', OBJECT],
    [`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, OBJECT],
    ['['.repeat(16_000), OBJECT],
    ['{"a": "\\u0000"}', 'NUL characters, lone surrogates and numbers beyond 1.8e308 aren’t allowed.'],
    ['{"__proto__": 1}', 'Choose another name than __proto__.'],
    [`{"a": "${'x'.repeat(2048)}"}`, 'Enter at most 2048 bytes of JSON. This is 2056 bytes.'],
  ])('say what is wrong with the metadata %j', (field, problem) => {
    expect(problemOf([], [field])).toBe(`X-Postroom-Metadata: ${problem}`);
    expect(read(['kind=a'], [field])).toMatchObject({ tags: { kind: 'a' }, metadata: undefined });
  });

  it('have metadata once', () => {
    expect(problemOf([], ['{}', '{}'])).toBe('X-Postroom-Metadata: Use the field once.');
  });
});
