// `npm test`: every check and test, from a fresh clone. `npm test -- unit lint` runs the named steps; other arguments are
// passed to the test runner: `npm test -- unit src/lib`.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './process/lifetime.mjs';
import { isPlain } from './process/plain-error.mjs';
import { generateClient, isClientCurrent } from './steps/build.mjs';
import { checkNodeVersion, installMissing } from './steps/install.mjs';
import { secondsSince, step } from './steps/step.mjs';
import { startTestDatabase, testEnvironment } from './testing/test-environment.mjs';
import { testSteps } from './testing/test-steps.mjs';

const EXIT_CODE_WHEN_STOPPED = 130;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(test, { exitCodeWhenStopped: EXIT_CODE_WHEN_STOPPED });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function test(lifetime) {
  const startedAt = Date.now();
  checkNodeVersion();
  process.chdir(root);
  const { steps, filters } = chooseSteps(process.argv.slice(2));
  await installMissing(root, { withDev: true });
  if (!isClientCurrent(root)) await step('Generating the database client', () => generateClient(root));
  const adminUrl = steps.some((each) => each.needsDatabase) ? await startTestDatabase(lifetime) : '';

  const surroundings = { root, env: await testEnvironment(), adminUrl, filters };
  const outcomes = new Map();
  for (const each of steps) {
    const startedAtStep = Date.now();
    const outcome = await outcomeOf(each, surroundings, outcomes);
    if (lifetime.isEnding()) return undefined;
    outcomes.set(each.name, outcome);
    report(each.name, outcome, secondsSince(startedAtStep));
  }

  const all = [...outcomes.values()];
  const passed = all.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = all.reduce((sum, outcome) => sum + outcome.failures.length, 0);
  for (const [name, { failures }] of outcomes)
    for (const failure of failures) console.log(`FAILED ${name}: ${failure}`);
  for (const [name, { unstable = [] }] of outcomes)
    for (const failure of unstable) console.log(`UNSTABLE ${name} (passed when run again, alone): ${failure}`);
  console.log(`\nTotal time: ${secondsSince(startedAt)}.`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

function chooseSteps(args) {
  const names = testSteps.map(({ name }) => name);
  const steps = args.some((arg) => names.includes(arg))
    ? testSteps.filter(({ name }) => args.includes(name))
    : testSteps.filter(({ isExtra }) => !isExtra);
  return { steps, filters: args.filter((arg) => !names.includes(arg)) };
}

async function outcomeOf(each, surroundings, outcomes) {
  if (each.needs && outcomes.get(each.needs)?.failures.length > 0) {
    return { passed: 0, failures: [`not run, because ${each.needs} failed`] };
  }
  try {
    return await each.run(surroundings);
  } catch (error) {
    return { passed: 0, failures: [isPlain(error) ? error.message : 'failed'], output: error.stack };
  }
}

function report(name, { passed, failures, unstable = [], output }, duration) {
  const counts = [`${passed} passed`];
  if (failures.length > 0) counts.push(`${failures.length} FAILED`);
  if (unstable.length > 0) counts.push(`${unstable.length} unstable`);
  console.log(`${name.padEnd(12)}${counts.join(', ').padEnd(28)}${duration}`);
  if (failures.length > 0 && output) console.log(`\n${output.trim()}\n`);
}
