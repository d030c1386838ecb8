import { setTimeout as sleep } from 'node:timers/promises';
import { stopTools } from '../steps/run-tool.mjs';
import { isPlain } from './plain-error.mjs';
import { onStopSignal } from './stop-signal.mjs';

const PARENT_CHECK_INTERVAL_MS = 500;
const SIGNAL_ARRIVES_WITHIN_MS = 300;

/**
 * Runs a command and, however it ends, undoes what it set up, latest first.
 * @param {(lifetime: Lifetime) => Promise<number | void>} command gives its exit code, or nothing to run on
 * @param {{ exitCodeWhenStopped: number }} options
 */
export async function runCommand(command, { exitCodeWhenStopped }) {
  const lifetime = createLifetime();
  onStopSignal(() => lifetime.end(exitCodeWhenStopped));
  endWithNpm(() => lifetime.end(exitCodeWhenStopped));
  try {
    const exitCode = await command(lifetime);
    if (exitCode !== undefined) await lifetime.end(exitCode);
  } catch (error) {
    // Ctrl-C reaches our children as well: what fails because of it is not a failure.
    await sleep(SIGNAL_ARRIVES_WITHIN_MS);
    if (lifetime.isEnding()) return;
    console.error(isPlain(error) ? `\n${error.message}` : error);
    await lifetime.end(1);
  }
}

/** @typedef {ReturnType<typeof createLifetime>} Lifetime */

function createLifetime() {
  const cleanups = [stopTools];
  let ending;
  const end = async (exitCode) => {
    for (const cleanUp of cleanups.reverse()) await Promise.resolve(cleanUp()).catch(console.error);
    process.exit(exitCode);
  };
  return {
    atEnd: (cleanUp) => cleanups.push(cleanUp),
    isEnding: () => ending !== undefined,
    end: (exitCode) => {
      ending ??= end(exitCode);
      return ending;
    },
  };
}

/** A shell between npm and us need not pass npm's signal on. */
function endWithNpm(end) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_INTERVAL_MS).unref();
}
