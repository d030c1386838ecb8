import { diffArrays } from 'diff';

export type DiffPart = { text: string; isChanged: boolean };

const KEY_LENGTH = 40;
const SEPARATORS = /(\s+|[;=,"])/;

/** Two values of a record, each in parts that say whether the other one has them too. */
export function diffValues(expected: string, found: string): { expected: DiffPart[]; found: DiffPart[] } {
  const sides = { expected: [] as DiffPart[], found: [] as DiffPart[] };
  const changes = diffArrays(wordsOf(found), wordsOf(expected));
  for (let index = 0; index < changes.length; index += 1) {
    const [change, next] = [changes[index], changes[index + 1]];
    if (!change) continue;
    const text = change.value.join('');
    if (!change.added && !change.removed) {
      sides.expected.push({ text, isChanged: false });
      sides.found.push({ text, isChanged: false });
    } else if (change.removed && next?.added) {
      addReplaced(sides, text, next.value.join(''));
      index += 1;
    } else {
      sides[change.added ? 'expected' : 'found'].push({ text, isChanged: true });
    }
  }
  return sides;
}

/** Two keys that replace each other begin and end alike. Other words are marked whole. */
function addReplaced(sides: { expected: DiffPart[]; found: DiffPart[] }, found: string, expected: string): void {
  const shorter = Math.min(found.length, expected.length);
  const isKey = shorter >= KEY_LENGTH;
  let start = 0;
  while (isKey && start < shorter && found[start] === expected[start]) start += 1;
  let end = 0;
  while (isKey && end < shorter - start && found.at(-1 - end) === expected.at(-1 - end)) end += 1;
  const add = (parts: DiffPart[], text: string) => {
    const split = [
      { text: text.slice(0, start), isChanged: false },
      { text: text.slice(start, text.length - end), isChanged: true },
      { text: text.slice(text.length - end), isChanged: false },
    ];
    parts.push(...split.filter((part) => part.text !== ''));
  };
  add(sides.found, found);
  add(sides.expected, expected);
}

function wordsOf(value: string): string[] {
  return value.split(SEPARATORS).filter((word) => word !== '');
}
