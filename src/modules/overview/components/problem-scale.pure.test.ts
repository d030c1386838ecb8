import { expect, it } from 'vitest';
import { problemScale } from './problem-scale';

it.each([
  [{ problems: 4, delivered: 40 }, 10],
  [{ problems: 5, delivered: 40 }, 1],
  [{ problems: 40, delivered: 40 }, 1],
  [{ problems: 117, delivered: 40 }, 1 / 3],
  [{ problems: 900, delivered: 40 }, 1 / 10],
  [{ problems: 3, delivered: 0 }, 1],
  [{ problems: 0, delivered: 0 }, 1],
])('of %j is %d', (most, scale) => {
  expect(problemScale(most)).toBe(scale);
});
