import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

const REASON_LINES = 8;

/**
 * Result of a test runner. Skipped tests count as failed: a test that does not run proves nothing.
 * @typedef {{ passed: number, failures: string[] }} Report
 */

/** @returns {Report} */
export function readVitestReport(path, exitCode) {
  if (!existsSync(path)) return { passed: 0, failures: ['the tests did not run'] };
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'));
  const tests = testResults.flatMap((file) => file.assertionResults);
  const failures = tests
    .filter((test) => test.status !== 'passed')
    .map((test) =>
      test.status === 'failed' ? withReason(test.fullName, test.failureMessages) : `not run: ${test.fullName}`,
    );
  const brokenFiles = testResults
    .filter((file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'))
    .map((file) => `${file.name}: ${file.message}`);
  return withExitCode({ passed: tests.length - failures.length, failures: [...failures, ...brokenFiles] }, exitCode);
}

/** @returns {Report} */
export function readPlaywrightReport(path, exitCode) {
  if (!existsSync(path)) return { passed: 0, failures: ['the tests did not run'] };
  const { suites, errors } = JSON.parse(readFileSync(path, 'utf8'));
  const tests = suites.flatMap((suite) => testsOf(suite, []));
  const failures = tests
    .filter((test) => test.status !== 'expected')
    .map((test) => (test.status === 'skipped' ? `not run: ${test.title}` : withReason(test.title, test.reasons)));
  const report = { passed: tests.length - failures.length, failures: [...failures, ...errors.map(firstLine)] };
  return withExitCode(report, exitCode);
}

function testsOf(suite, path) {
  const titles = [...path, suite.title].filter(Boolean);
  const own = suite.specs.flatMap((spec) =>
    spec.tests.map((test) => ({
      status: test.status,
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
