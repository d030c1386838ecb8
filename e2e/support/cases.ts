import { test } from '@playwright/test';
import type { Watched } from './check-page';

const CASE_TIMEOUT_MS = 30_000;

/** Returns cases in groups of this size, for tests that run beside each other. */
export function inGroups<Case>(cases: readonly Case[], size: number): Case[][] {
  return Array.from({ length: Math.ceil(cases.length / size) }, (_, index) =>
    cases.slice(index * size, (index + 1) * size),
  );
}

export const namesOf = (group: readonly { name: string }[]) => group.map(({ name }) => name).join(', ');

/**
 * Runs each case in a step, on one page: what a page loads after the first time takes half of the work, because the browser knows the
 * scripts. All cases run, and each that fails is named.
 */
export async function eachCase<Case extends { name: string }>(
  cases: readonly Case[],
  watched: Watched,
  run: (one: Case) => Promise<void>,
): Promise<void> {
  test.setTimeout(cases.length * CASE_TIMEOUT_MS + CASE_TIMEOUT_MS);
  const failures: { name: string; message: string }[] = [];
  for (const one of cases) {
    await test
      .step(one.name, () => run(one))
      .catch(({ message }: Error) => {
        failures.push({ name: one.name, message });
        watched.faults.length = 0;
      });
  }
  const messages = failures.map(({ name, message }) => `${name}: ${message}`);
  if (failures.length > 0) throw new Error([`Failed: ${namesOf(failures)}`, ...messages].join('\n\n'));
}
