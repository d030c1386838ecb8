import { validate, version } from 'uuid';
import { expect, it, vi } from 'vitest';
import { uuidv7 } from './uuid';

const MANY = 5_000;

it('ids are valid, unique and in order, also within a millisecond and when the clock goes back', () => {
  const ids = Array.from({ length: MANY }, uuidv7);
  vi.useFakeTimers({ now: Date.now() - 60_000, toFake: ['Date'] });
  ids.push(...Array.from({ length: MANY }, uuidv7));
  vi.useRealTimers();
  expect(new Set(ids).size).toBe(2 * MANY);
  expect(ids.toSorted()).toEqual(ids);
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
});

it('an id begins with the time it was made', () => {
  const before = Date.now();
  const at = Number.parseInt(uuidv7().replace('-', '').slice(0, 12), 16);
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(Date.now() + 1);
});

it('the random part of an id does not repeat', () => {
  const parts = Array.from({ length: MANY }, () => uuidv7().slice(-12));
  expect(new Set(parts).size).toBe(MANY);
});
