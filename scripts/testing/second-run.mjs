const MOST_FAILURES = 12;

/**
 * Runs the tests, and the few that failed a second time, one file after the other, with nothing else beside them. What passes
 * one of the two times is unstable: it is reported, and must be fixed, but a busy machine doesn't fail the whole.
 * @template {import('./test-reports.mjs').Report} Outcome
 * @param {string[]} filters of the caller; with any, there is no second run
 * @param {(filters: string[], options: { isAlone: boolean }) => Promise<Outcome>} run
 * @returns {Promise<Outcome & { unstable: string[] }>}
 */
export async function withSecondRun(filters, run) {
  const first = await run(filters, { isAlone: false });
  const { passed, failures } = first;
  const isWorthwhile = filters.length === 0 && failures.length > 0 && failures.length <= MOST_FAILURES;
  if (!isWorthwhile || hasFailedOutside(first)) return { ...first, unstable: [] };
  const second = await run([...new Set(first.failedAt)], { isAlone: true });
  if (hasFailedOutside(second)) return { ...first, unstable: [] };
  const failedFirst = new Set(failures.map(titleOf));
  const failedAgain = new Set(second.failures.map(titleOf));
  const lasting = failures.filter((failure) => failedAgain.has(titleOf(failure)));
  const recovered = failures.filter((failure) => !failedAgain.has(titleOf(failure)));
  const lost = second.failures.filter((failure) => !failedFirst.has(titleOf(failure)));
  return { ...first, passed: passed + recovered.length, failures: lasting, unstable: [...recovered, ...lost] };
}

/** What fails outside of a test has no place. */
function hasFailedOutside({ failures, failedAt }) {
  return failedAt.length < failures.length;
}

/** The first line; the reason follows it. */
function titleOf(failure) {
  return failure.split('\n', 1)[0];
}
