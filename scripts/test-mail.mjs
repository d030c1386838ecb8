// `npm run test:mail`: tests the mail server of deploy/mail at the wire, in a temporary folder with a temporary Postgres.
// `npm run test:mail -- inbound` runs the files whose names match. With `--release trixie` before them, all of it runs in a root
// folder of that Debian, with a network of its own.
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkMailServerCanRun, installMailServer, isMailServerInstalled, testPackages } from './mail/packages.mjs';
import { runCommand } from './process/lifetime.mjs';
import { generateClient, isClientCurrent } from './steps/build.mjs';
import { checkNodeVersion, installMissing } from './steps/install.mjs';
import { bundleForApp } from './steps/programs.mjs';
import { runTool, toolPath } from './steps/run-tool.mjs';
import { step } from './steps/step.mjs';

const EXIT_CODE_WHEN_STOPPED = 130;
const CONFIG = 'src/test/mail-stack/vitest.config.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const [option, release = '', ...others] = process.argv.slice(2);
const filters = option === '--release' ? others : process.argv.slice(2);

await runCommand(option === '--release' ? testInDebian : test, { exitCodeWhenStopped: EXIT_CODE_WHEN_STOPPED });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function testInDebian(lifetime) {
  await prepare();
  const { debianWith } = await import('./testing/debian-root.mjs');
  const { runInDebian } = await import('./testing/run-in-debian.mjs');
  const folder = await step(`Preparing a root of ${release}`, () => debianWith(release, testPackages()));
  return runInDebian({ folder, checkout: root, args: ['scripts/test-mail.mjs', ...filters] }, lifetime);
}

async function prepare() {
  checkNodeVersion();
  checkMailServerCanRun();
  process.chdir(root);
  await installMissing(root, { withDev: true });
  if (!isClientCurrent(root)) await step('Generating the database client', () => generateClient(root));
  await bundleForApp(root);
}

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function test(lifetime) {
  await prepare();
  if (!isMailServerInstalled()) await step("Installing the mail server's packages", installMailServer);

  const { startTemporaryPostgres } = await import('./postgres/temporary-postgres.mjs');
  const postgres = await step('Starting a Postgres', startTemporaryPostgres);
  lifetime.atEnd(postgres.stop);
  const { prepareMailDatabase } = await import('./mail/mail-database.mjs');
  const urls = await step('Migrating its database', () => prepareMailDatabase(root, postgres.adminUrl));
  const { startTemporaryMailServer } = await import('./mail/temporary-mail-server.mjs');
  const { mailServer, stop } = await step('Starting the mail server', () => startTemporaryMailServer(urls.mta));
  lifetime.atEnd(stop);

  const env = {
    DATABASE_URL: urls.app,
    SECRET_KEY: randomBytes(32).toString('hex'),
    APP_URL: 'http://localhost:3000',
    SMTP_URL: smtpUrlOf(mailServer.settings),
  };
  const { superviseAgent } = await import('./mail/agent-supervisor.mjs');
  const endAgent = await step('Starting the agent', () => superviseAgent(mailServer, env));
  lifetime.atEnd(endAgent);

  const report = join(dirname(mailServer.config), 'report.json');
  const { withSecondRun } = await import('./testing/second-run.mjs');
  const testEnv = { ...env, MAIL_SERVER: JSON.stringify(mailServer) };
  const { passed, failures, unstable } = await withSecondRun(filters, (chosen) => runTests(report, testEnv, chosen));
  if (lifetime.isEnding()) return undefined;
  for (const failure of failures) console.log(`FAILED ${failure}`);
  for (const failure of unstable) console.log(`UNSTABLE (passed when run again, alone): ${failure}`);
  console.log(`${passed} passed, ${failures.length} failed`);
  return failures.length > 0 || passed === 0 ? 1 : 0;
}

/** The SMTP URL with which the app submits. */
function smtpUrlOf({ APP_PASSWORD, SUBMISSIONS_PORT }) {
  return `smtps://postroom:${APP_PASSWORD}@127.0.0.1:${SUBMISSIONS_PORT}`;
}

/** The report is in the mail server's folder, which is removed even if this process is killed. */
async function runTests(report, env, filters) {
  const { readVitestReport } = await import('./testing/test-reports.mjs');
  const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${report}`];
  const { exitCode } = await runTool(
    toolPath(root, 'vitest'),
    ['run', `--config=${CONFIG}`, ...reporters, '--allowOnly=false', ...filters],
    { root, env: { ...process.env, ...env, NO_COLOR: '1' }, onOutput: (text) => process.stdout.write(text) },
  );
  return readVitestReport(report, exitCode);
}
