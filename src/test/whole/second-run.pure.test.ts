import { describe, expect, it } from 'vitest';
import { withSecondRun } from '../../../scripts/testing/second-run.mjs';

const failed = (...failedAt: string[]) => ({ passed: 10, failures: failedAt.map((at) => `${at} failed`), failedAt });
const passed = { passed: 1, failures: [], failedAt: [] };

async function runs(filters: string[], ...reports: (typeof passed | ReturnType<typeof failed>)[]) {
  const calls: string[][] = [];
  const outcome = await withSecondRun(filters, async (chosen) => {
    calls.push(chosen);
    return reports[calls.length - 1] ?? passed;
  });
  return { calls, outcome };
}

describe('the second run of failed tests', () => {
  it('runs their files once, and reports what passed then as unstable', async () => {
    const { calls, outcome } = await runs([], failed('a.test.ts', 'b.test.ts', 'a.test.ts'));
    expect(calls).toEqual([[], ['a.test.ts', 'b.test.ts']]);
    const unstable = ['a.test.ts failed', 'b.test.ts failed', 'a.test.ts failed'];
    expect(outcome).toMatchObject({ passed: 13, failures: [], unstable });
  });

  it('fails with what failed both times', async () => {
    const second = { ...failed('b.test.ts'), failures: ['b.test.ts failed\n    for another reason'] };
    const { outcome } = await runs([], failed('a.test.ts', 'b.test.ts'), second);
    expect(outcome).toMatchObject({ passed: 11, failures: ['b.test.ts failed'], unstable: ['a.test.ts failed'] });
  });

  it.each([
    ['the second run found another failure', failed('c.test.ts')],
    ['the second run did not start', { passed: 0, failures: ['the tests did not run'], failedAt: [] }],
  ])('fails with what failed first if %s', async (_, second) => {
    const { outcome } = await runs([], failed('a.test.ts', 'b.test.ts'), second);
    expect(outcome).toMatchObject({ passed: 10, failures: ['a.test.ts failed', 'b.test.ts failed'], unstable: [] });
  });

  it.each([
    ['everything passed', [], passed],
    ['the caller named tests', ['a'], failed('a.test.ts')],
    ['more than five failed', [], failed('a', 'b', 'c', 'd', 'e', 'f')],
    [
      'something failed outside of a test',
      [],
      { ...failed('a.test.ts'), failures: ['a', 'the tests ended with an error'] },
    ],
  ])('is not made if %s', async (_, filters, report) => {
    const { calls, outcome } = await runs(filters, report);
    expect(calls).toEqual([filters]);
    expect(outcome.failures).toEqual(report.failures);
  });
});
