// The part of deploy/install that runs in Node.js. It uses built-in modules only: packages aren't installed yet.
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPlain, PlainError } from '../../scripts/process/plain-error.mjs';
import { tryToTakeLock } from '../../scripts/steps/lock.mjs';
import { secondsSince } from '../../scripts/steps/step.mjs';
import { isBuilt } from './build.mjs';
import { printReport } from './check.mjs';
import { readOptions, USAGE } from './options.mjs';
import { isRelease, nameOf, releaseOf, runningFolder } from './releases.mjs';
import { remove } from './remove.mjs';
import { problemsIn, readFacts } from './requirements.mjs';
import { ambiguousValues, errorsIn, readSettings, SETTINGS } from './settings.mjs';
import { STEPS } from './steps.mjs';
import { deferSignals } from './stop-request.mjs';
import { upgrade } from './upgrade.mjs';
import { readUpgradeState } from './upgrade-state.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

try {
  process.exitCode = await main();
} catch (error) {
  console.error(isPlain(error) ? `\n${error.message}` : error);
  process.exitCode = 1;
}

/** @returns {Promise<number>} the exit code */
async function main() {
  const options = readOptions(process.argv.slice(2));
  process.umask(0o022);
  if (options.mode === 'help') {
    console.log(USAGE);
    return 0;
  }
  if (options.mode === 'remove') {
    await takeTurn();
    return remove();
  }
  const { MAIL_HOST: known, APP_URL: appUrl, DATABASE_URL: database } = readSettings();
  if (options.mode === 'check') {
    if (!known || !appUrl || !database)
      throw new PlainError(
        'Postroom isn’t installed on this host: /etc/postroom/settings lacks MAIL_HOST, APP_URL or DATABASE_URL.',
      );
    return (await printReport()) ? 0 : 1;
  }
  if (!options.host && !known)
    throw new PlainError(`Name this host, for example: sudo deploy/install mail.example.com\n\n${USAGE}`);
  const settings = readSettings();
  const host = { ...releaseOf(root), options };
  const facts = readFacts({ root, settings, options, isBuilt: isBuilt(host.root) });
  const ambiguous = existsSync(SETTINGS) ? ambiguousValues(readFileSync(SETTINGS, 'utf8')) : [];
  const problems = [
    ...ambiguous,
    ...errorsIn(settings, options),
    ...problemsIn(facts),
    ...(options.isUpgrade ? [] : otherVersion(host)),
  ];
  if (options.mode === 'dry-run' && !options.isUpgrade) return plan(host, problems);
  if (problems.length > 0) throw new PlainError(`${problems.join('\n')}\nNothing was changed.`);
  if (options.mode !== 'dry-run') await takeTurn();
  if (options.isUpgrade) return upgrade(host);
  await install(host);
  return 0;
}

/** @returns {string[]} a sentence if this host runs another version than that of this folder */
function otherVersion(host) {
  if (readUpgradeState()) return ['An upgrade was interrupted. Run it again: sudo deploy/install --upgrade'];
  const running = runningFolder();
  if (!running || !isRelease(running) || running === host.root) return [];
  return [
    `This host runs ${nameOf(running)}, and this folder has ${nameOf(host.root)}. Upgrade with: sudo deploy/install --upgrade`,
  ];
}

async function takeTurn() {
  if (await tryToTakeLock('installation', '/etc'))
    throw new PlainError(
      'Another deploy/install is running, maybe from a terminal that was closed. Wait until it has finished: its output is in /var/log/postroom.',
    );
}

async function plan(host, problems) {
  for (const problem of problems) console.log(`Fix first: ${problem}`);
  for (const step of STEPS) {
    console.log(`${step.name}: ${(await step.isDone(host)) ? 'is done.' : `would ${step.plan(host)}.`}`);
  }
  return problems.length > 0 ? 1 : 0;
}

async function install(host) {
  const startedAt = Date.now();
  const signalSoFar = deferSignals();
  console.log(`The log is ${process.env.POSTROOM_LOG ?? 'this output'}.`);
  let changed = 0;
  for (const step of STEPS) {
    if (await step.isDone(host)) continue;
    const signal = await signalSoFar();
    if (signal)
      throw new PlainError(
        `It was stopped by ${signal}. Run the same command again: it goes on with the step "${step.name}".`,
      );
    console.log(`\n${step.name}`);
    await runStep(step, host);
    changed += 1;
  }
  console.log(
    changed === 0 ? 'Everything is in place. Nothing was changed.' : `\nInstalled in ${secondsSince(startedAt)}.`,
  );
  await printReport();
}

async function runStep(step, host) {
  const startedAt = Date.now();
  try {
    await step.run(host);
    console.log(`  ${secondsSince(startedAt)}`);
  } catch (error) {
    if (!isPlain(error)) throw error;
    throw new PlainError(
      `${error.message}\nThe step "${step.name}" failed. Fix the cause above and run the same command again: it goes on with this step.`,
    );
  }
}
