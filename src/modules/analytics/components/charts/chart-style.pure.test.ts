import { expect, it } from 'vitest';
import { finishedPoints } from './chart-style';

it('leaves out the point that is not over, unless it is the only one', () => {
  const [day, today] = [{ until: '2026-11-29T00:00:00.000Z' }, { until: '2026-11-30T00:00:00.000Z' }];
  const at = (iso: string, points: (typeof day)[]) => finishedPoints(points, new Date(iso));
  expect(at('2026-11-29T10:00:00Z', [day, today])).toEqual([day]);
  expect(at('2026-11-30T00:00:00Z', [day, today])).toEqual([day, today]);
  expect(at('2026-11-29T10:00:00Z', [today])).toEqual([today]);
  expect(at('2026-11-29T10:00:00Z', [])).toEqual([]);
});
