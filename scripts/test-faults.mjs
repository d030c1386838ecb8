// `npm run test:faults`: the built app with real HTTPS endpoints and Postgres, while processes are killed or stopped and
// endpoints hang, also with two instances behind nginx. `npm run test:faults -- --events 20000 --kills 100 --seed 7` runs
// longer and repeatably, `npm run test:faults -- --only nginx` only what has that word in its title.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { checkNodeVersion, installMissing } from './steps/install.mjs';
import { secondsSince, step } from './steps/step.mjs';

const DEFAULTS = { events: 2000, endpoints: 5, kills: 10, seed: Date.now() % 100_000 };

const root = dirname(dirname(fileURLToPath(import.meta.url)));

await runCommand(testFaults, { exitCodeWhenStopped: 130 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function testFaults(lifetime) {
  const startedAt = Date.now();
  checkNodeVersion();
  process.chdir(root);
  const options = readOptions();
  await installMissing(root, { withDev: true });
  const { build, generateClient, isBuildCurrent, isClientCurrent } = await import('./steps/build.mjs');
  if (!isClientCurrent(root)) await step('Generating the database client', () => generateClient(root));
  if (!isBuildCurrent(root)) await step('Building the console', () => build(root));
  const { startTemporaryPostgres } = await import('./postgres/temporary-postgres.mjs');
  const { migrate } = await import('./postgres/database.mjs');
  const { appEnvironment } = await import('./testing/app.mjs');
  const { testHangingEndpoints } = await import('./faults/hanging-endpoints.mjs');
  const { testKilledApp } = await import('./faults/killed-app.mjs');
  const { testKilledSchedule } = await import('./faults/killed-schedule.mjs');
  const { testDrainedInstances } = await import('./faults/proxied/drained-instances.mjs');
  const { testKilledInstances } = await import('./faults/proxied/killed-instances.mjs');
  const { testReadReplica } = await import('./faults/proxied/read-replica.mjs');
  const { testRateLimits } = await import('./faults/proxied/rate-limits.mjs');
  const { testStoppedApp } = await import('./faults/stopped-app.mjs');

  const counts = { passed: 0, failed: 0 };
  const check = (name, holds, found) => {
    counts[holds ? 'passed' : 'failed'] += 1;
    console.log(
      `${holds ? 'ok    ' : 'FAILED'} ${name}${holds || found === undefined ? '' : `: ${JSON.stringify(found)}`}`,
    );
  };
  /** @type {[title: string, run: typeof testKilledApp][]} */
  const tests = [
    [`The app killed ${options.kills} times (--seed ${options.seed})`, testKilledApp],
    [`Scheduled messages leave while the app is killed (--seed ${options.seed})`, testKilledSchedule],
    ['Half of the endpoints hang', testHangingEndpoints],
    ['The app is stopped during deliveries', testStoppedApp],
    [`Two instances behind nginx, each killed in turn (--seed ${options.seed})`, testKilledInstances],
    ['Two instances behind nginx are drained and stopped', testDrainedInstances],
    ['Two instances behind nginx count rate limits together', testRateLimits],
    ['Two instances behind nginx read from a replica that is killed', testReadReplica],
  ];
  for (const [title, run] of tests.filter(([title]) => title.includes(options.only))) {
    console.log(`\n${title}`);
    const startedAtTest = Date.now();
    await lifetime.part(async (part) => {
      const { adminUrl, stop } = await startTemporaryPostgres();
      part.atEnd(stop);
      await migrate(root, adminUrl);
      const env = appEnvironment(adminUrl);
      await run({ root, env, adminUrl, lifetime: part, options, check, random: seeded(options.seed) });
    });
    console.log(`It took ${secondsSince(startedAtTest)}.`);
  }
  console.log(`\nTotal time: ${secondsSince(startedAt)}.`);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed > 0 || counts.passed === 0 ? 1 : 0;
}

/** @returns {Record<string, any>} */
function readOptions() {
  const names = Object.keys(DEFAULTS);
  const texts = [...names, 'only'].map((name) => [name, { type: /** @type {const} */ ('string') }]);
  /** @type {Record<string, unknown>} */
  const values = parseArgs({ options: Object.fromEntries(texts) }).values;
  const numbers = names.map((name) => {
    const number = Number(values[name] ?? DEFAULTS[name]);
    if (!Number.isInteger(number) || number < 0) throw new PlainError(`--${name} must be a whole number.`);
    return [name, number];
  });
  return { ...Object.fromEntries(numbers), only: String(values.only ?? '') };
}

/** The same numbers for the same seed (mulberry32). */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
