import { setTimeout as sleep } from 'node:timers/promises';
import { stopTools } from '../steps/run-tool.mjs';
import { isPlain } from './plain-error.mjs';
import { onStopSignal } from './stop-signal.mjs';

const PARENT_CHECK_INTERVAL_MS = 500;
const SIGNAL_ARRIVES_WITHIN_MS = 300;

/**
 * Runs a command and, however it ends, runs its cleanups, last one first.
 * @param {(lifetime: Lifetime) => Promise<number | void>} command returns the exit code, or undefined to keep running
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
    // Ctrl-C reaches child processes too: errors that it causes are not failures.
    await sleep(SIGNAL_ARRIVES_WITHIN_MS);
    if (lifetime.isEnding()) return;
    console.error(isPlain(error) ? `\n${error.message}` : error);
    await lifetime.end(1);
  }
}

/**
 * @typedef {object} Lifetime
 * @property {(cleanUp: () => unknown) => void} atEnd
 * @property {() => boolean} isEnding
 * @property {(exitCode: number) => Promise<void>} end
 * @property {(work: (part: Lifetime) => Promise<void>) => Promise<void>} part does a part of the command, and then ends what was
 *   begun in it
 */

/** @returns {Lifetime} */
function createLifetime() {
  /** @type {(() => unknown)[]} */
  const cleanups = [stopTools];
  /** @type {Promise<void> | undefined} */
  let ending;
  const end = async (exitCode) => {
    await runAll(cleanups);
    process.exit(exitCode);
  };
  /** @type {Lifetime} */
  const lifetime = {
    atEnd: (cleanUp) => cleanups.push(cleanUp),
    isEnding: () => ending !== undefined,
    end: (exitCode) => {
      ending ??= end(exitCode);
      return ending;
    },
    part: async (work) => {
      /** @type {(() => unknown)[]} */
      const ofPart = [];
      /** @type {Promise<void> | undefined} */
      let isOver;
      const endPart = () => {
        isOver ??= runAll(ofPart);
        return isOver;
      };
      lifetime.atEnd(endPart);
      await work({ ...lifetime, atEnd: (cleanUp) => ofPart.push(cleanUp) }).finally(endPart);
    },
  };
  return lifetime;
}

/**
 * Runs cleanups, the last one first.
 * @param {(() => unknown)[]} cleanups
 */
async function runAll(cleanups) {
  for (const cleanUp of cleanups.reverse()) await Promise.resolve().then(cleanUp).catch(console.error);
}

/** Ends with npm, because a shell between npm and this process may not forward signals. */
function endWithNpm(end) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_INTERVAL_MS).unref();
}
