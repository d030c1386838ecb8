import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const REASON_LINES = 8;

/**
 * Result of a test runner. Skipped tests count as failed: a test that does not run proves nothing. `failedAt` has the place of
 * each failed test, as a filter for the runner.
 * @typedef {{ passed: number, failures: string[], failedAt: string[] }} Report
 */

const NOT_RUN = { passed: 0, failures: ['the tests did not run'], failedAt: [] };

/** @returns {Report} */
export function readVitestReport(path, exitCode) {
  if (!existsSync(path)) return NOT_RUN;
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'));
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: name })),
  );
  const failed = tests.filter((test) => test.status !== 'passed');
  const failures = failed.map((test) =>
    test.status === 'failed' ? withReason(test.fullName, test.failureMessages) : `not run: ${test.fullName}`,
  );
  const brokenFiles = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const report = {
    passed: tests.length - failures.length,
    failures: [...failures, ...brokenFiles.map(({ name, message }) => `${name}: ${message}`)],
    failedAt: [...failed.map(({ file }) => file), ...brokenFiles.map(({ name }) => name)],
  };
  return withExitCode(report, exitCode);
}

/** @returns {Report} */
export function readPlaywrightReport(path, exitCode) {
  if (!existsSync(path)) return NOT_RUN;
  const { suites, errors } = JSON.parse(readFileSync(path, 'utf8'));
  const tests = suites.flatMap((suite) => testsOf(suite, []));
  const failed = tests.filter((test) => test.status !== 'expected');
  const failures = failed.map((test) =>
    test.status === 'skipped' ? `not run: ${test.title}` : withReason(test.title, test.reasons),
  );
  const report = {
    passed: tests.length - failures.length,
    failures: [...failures, ...errors.map(firstLine)],
    failedAt: failed.map(({ at }) => at),
  };
  return withExitCode(report, exitCode);
}

function testsOf(suite, path) {
  const titles = [...path, suite.title].filter(Boolean);
  const own = suite.specs.flatMap((spec) =>
    spec.tests.map((test) => ({
      status: test.status,
      at: `${spec.file}:${spec.line}`,
      title: [...titles, spec.title].join(' › '),
      reasons: test.results.flatMap(({ errors }) => errors.map(({ message }) => message)),
    })),
  );
  return [...own, ...(suite.suites ?? []).flatMap((child) => testsOf(child, titles))];
}

/** Includes the reason, because long logs are often cut to their end. */
function withReason(title, [reason]) {
  const lines = stripVTControlCharacters(String(reason ?? ''))
    .split('\n')
    .filter((line) => line.trim() !== '');
  return [title, ...lines.slice(0, REASON_LINES)].join('\n    ');
}

/** An error outside of tests, or no tests at all, shows in the exit code only. */
function withExitCode(report, exitCode) {
  const isSilentFailure = report.failures.length === 0 && (exitCode !== 0 || report.passed === 0);
  return isSilentFailure ? { ...report, failures: ['the tests ended with an error'] } : report;
}

function firstLine(error) {
  return String(error.message).split('\n', 1)[0];
}
