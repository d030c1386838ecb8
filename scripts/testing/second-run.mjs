const MOST_FAILURES = 5;

/**
 * Runs the tests, and the few that failed a second time, one file after the other, with nothing else beside them. What passes
 * then is unstable: it is reported, and must be fixed, but a busy machine doesn't fail the whole.
 * @template {import('./test-reports.mjs').Report} Outcome
 * @param {string[]} filters of the caller; with any, there is no second run
 * @param {(filters: string[], options: { isAlone: boolean }) => Promise<Outcome>} run
 * @returns {Promise<Outcome & { unstable: string[] }>}
 */
export async function withSecondRun(filters, run) {
  const first = await run(filters, { isAlone: false });
  const { passed, failures, failedAt } = first;
  const isWorthwhile = filters.length === 0 && failures.length > 0 && failures.length <= MOST_FAILURES;
  // A failure outside of a test has no place in `failedAt`.
  if (!isWorthwhile || failedAt.length < failures.length) return { ...first, unstable: [] };
  const second = await run([...new Set(failedAt)], { isAlone: true });
  const failedAgain = new Set(second.failures.map(titleOf));
  const lasting = failures.filter((failure) => failedAgain.has(titleOf(failure)));
  // Failures of the second run alone: it did not run all of them, or it found more.
  if (lasting.length < failedAgain.size) return { ...first, unstable: [] };
  const unstable = failures.filter((failure) => !lasting.includes(failure));
  return { ...first, passed: passed + unstable.length, failures: lasting, unstable };
}

/** The first line; the reason follows it. */
function titleOf(failure) {
  return failure.split('\n', 1)[0];
}
