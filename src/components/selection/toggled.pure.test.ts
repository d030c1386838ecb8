import { expect, it } from 'vitest';
import { toggled } from './use-selection';

const shown = ['a', 'b', 'c', 'd', 'e'];

it.each<[string[], string, string | null, string[]]>([
  [[], 'b', null, ['b']],
  [['b', 'd'], 'b', null, ['d']],
  [['b'], 'd', 'b', ['b', 'c', 'd']],
  [['d'], 'b', 'd', ['b', 'c', 'd']],
  [['a', 'c'], 'e', 'c', ['a', 'c', 'd', 'e']],
  [['a', 'b', 'c', 'd'], 'd', 'b', ['a']],
  // The row was on another page, or the first of all.
  [['a'], 'c', 'gone', ['a', 'c']],
  [['a'], 'a', 'a', []],
])('with %j selected, toggling %s after %s selects %j', (selected, key, last, expected) => {
  expect([...toggled(selected, key, { shown, last })].toSorted()).toEqual(expected);
});
