import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';
import { build, isBuildCurrent } from '../steps/build.mjs';
import { takeLock } from '../steps/lock.mjs';
import { runTool, toolPath } from '../steps/run-tool.mjs';
import { findBrowser } from './browser.mjs';
import { wrongOrder } from './migration-order.mjs';
import { withSecondRun } from './second-run.mjs';
import { prepareTestPrograms } from './test-programs.mjs';
import { readPlaywrightReport, readVitestReport } from './test-reports.mjs';

/**
 * @typedef {{ passed: number, failures: string[], unstable?: string[], output?: string }} Outcome
 * @typedef {{ root: string, env: Record<string, string | undefined>, adminUrl: string, filters: string[] }} Surroundings
 */

/** The steps of `npm test`, in order. Steps with `needsDatabase` get a Postgres. */
export const testSteps = [
  { name: 'types', run: checkTypes },
  { name: 'lint', run: (here) => check(here, 'biome', ['check', '--error-on-warnings', '--colors=off']) },
  { name: 'words', run: (here) => runScript(here, 'checks/check-words.mjs') },
  { name: 'imports', run: (here) => runScript(here, 'checks/check-imports.mjs') },
  { name: 'unused', run: (here) => check(here, 'knip', ['--no-progress']) },
  { name: 'migrations', run: checkMigrations, needsDatabase: true },
  { name: 'unit', run: (here) => runVitest(here, ['pure', 'database', 'alone']), needsDatabase: true },
  { name: 'growth', run: (here) => runVitest(here, ['growth']), needsDatabase: true },
  // With what npm run test:corpora prepares.
  { name: 'corpora', run: (here) => runVitest(here, ['corpora']), needsDatabase: true, isExtra: true },
  { name: 'build', run: checkBuild },
  { name: 'e2e', run: runBrowserTests, needsDatabase: true, needs: 'build' },
];

async function check({ root, env }, command, args) {
  return asOutcome(await runTool(toolPath(root, command), args, { root, env }));
}

async function checkTypes(here) {
  const generated = await check(here, 'next', ['typegen']);
  if (generated.failures.length > 0) return generated;
  const app = await check(here, 'tsc', ['--noEmit']);
  return app.failures.length > 0 ? app : check(here, 'tsc', ['--noEmit', '--project', 'scripts']);
}

async function runScript({ root, env }, script) {
  return asOutcome(await runTool(join(root, 'scripts', script), [], { root, env }));
}

/**
 * Checks that the migrations, on an empty database, produce exactly the schema, that new ones come last, and that changed functions
 * have a new revision.
 */
async function checkMigrations(here) {
  const { adminUrl, root, env } = here;
  const { isRevised } = await import('../postgres/function-revision.mjs');
  const revision = (await isRevised(root)) ? '' : 'A file in prisma/functions changed: run npm run revise:functions.';
  const output = revision || wrongOrder(root);
  if (output) return { passed: 0, failures: ['failed'], output };
  const database = 'postroom_migrations';
  await recreateDatabase(adminUrl, database);
  const url = Object.assign(new URL(adminUrl), { pathname: `/${database}` }).href;
  const inDatabase = { ...here, env: { ...env, DATABASE_URL: url } };
  const { migrate } = await import('../postgres/database.mjs');
  await migrate(root, url);
  const schema = join(root, 'prisma', 'schema');
  const drift = ['migrate', 'diff', '--from-config-datasource', '--to-schema', schema, '--exit-code'];
  return check(inDatabase, 'prisma', drift);
}

async function recreateDatabase(adminUrl, database) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(adminUrl);
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${database}`);
  await client.end();
}

async function runVitest({ root, env, adminUrl, filters }, projects) {
  prepareTestPrograms();
  return withSecondRun(filters, (chosen, { isAlone }) =>
    withReportFile(async (report) => {
      const workers = isAlone ? ['--maxWorkers=1'] : [];
      const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
      // Filters of several steps may leave one of them without tests.
      const chosenOnly = chosen.length > 0 ? ['--passWithNoTests', ...chosen] : [];
      const { exitCode, output } = await runTool(
        toolPath(root, 'vitest'),
        [
          'run',
          ...projects.map((name) => `--project=${name}`),
          ...reporters,
          '--allowOnly=false',
          ...workers,
          ...chosenOnly,
        ],
        { root, env: { ...env, TEST_DATABASE_URL: adminUrl, NO_COLOR: '1' } },
      );
      return { ...readVitestReport(report, exitCode), output };
    }),
  );
}

async function checkBuild({ root }) {
  if (isBuildCurrent(root)) return { passed: 1, failures: [] };
  try {
    await takeLock('build', root, 'This folder');
    await build(root);
    return { passed: 1, failures: [] };
  } catch (error) {
    if (!(error instanceof PlainError)) throw error;
    return { passed: 0, failures: ['failed'], output: error.message };
  }
}

async function runBrowserTests({ root, env, adminUrl, filters }) {
  const built = await checkBuild({ root });
  if (built.failures.length > 0) return built;
  const browser = await findBrowser(root);
  return withSecondRun(filters, (chosen, { isAlone }) =>
    withReportFile(async (report) => {
      // A trace costs a fifth of the time, so only a test that failed gets one.
      const alone = isAlone ? ['--workers=1', '--trace=retain-on-failure'] : [];
      const { exitCode, output } = await runTool(
        toolPath(root, 'playwright'),
        ['test', '--config=e2e/playwright.config.ts', '--reporter=line,json', '--forbid-only', ...alone, ...chosen],
        {
          root,
          env: {
            ...env,
            TEST_DATABASE_URL: adminUrl,
            CHROMIUM_PATH: browser,
            PLAYWRIGHT_JSON_OUTPUT_NAME: report,
            NO_COLOR: '1',
          },
        },
      );
      return { ...readPlaywrightReport(report, exitCode), output };
    }),
  );
}

async function withReportFile(run) {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-report-'));
  try {
    return await run(join(folder, 'report.json'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns {Outcome} */
function asOutcome({ exitCode, output }) {
  return exitCode === 0 ? { passed: 1, failures: [] } : { passed: 0, failures: ['failed'], output };
}
