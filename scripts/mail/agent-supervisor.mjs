// Runs the agent of the tests' mail server like systemd does: restarts it whenever it exits.
import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundled } from '../steps/programs.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const RESTART_DELAY_MS = 300;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;

/**
 * Tests kill the agent with the pid in `run/agent/pid` and keep it stopped with a file `run/agent/stopped`. Its log is
 * `log/agent.log`.
 * @param {{ config: string, data: string }} mailServer
 * @param {Record<string, string>} env the app's environment
 * @returns {Promise<() => Promise<void>>} resolves once the agent runs, to a function that stops it
 */
export async function superviseAgent({ config, data }, env) {
  const pidFile = join(data, 'run/agent/pid');
  const stoppedFile = join(data, 'run/agent/stopped');
  const logFile = join(data, 'log/agent.log');
  const log = openSync(logFile, 'a');
  const program = await bundled(root, 'src/agent/main.ts');
  let isEnding = false;
  let child;
  let started;
  const hasStarted = new Promise((resolve) => {
    started = resolve;
  });
  const supervising = (async () => {
    while (!isEnding) {
      await sleep(RESTART_DELAY_MS);
      if (isEnding || existsSync(stoppedFile)) continue;
      child = spawn(process.execPath, [program], {
        stdio: ['ignore', log, log, 'ipc'],
        env: { ...process.env, ...env, MAIL_SERVER_CONFIG: config, LOG_LEVEL: 'info' },
      });
      child.once('message', () => {
        writeFileSync(pidFile, String(child.pid));
        started();
      });
      await new Promise((resolve) => child.once('exit', resolve));
      rmSync(pidFile, { force: true });
    }
  })();
  const timeout = sleep(START_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`The agent did not start:\n${readFileSync(logFile, 'utf8')}`);
  });
  await Promise.race([hasStarted, timeout]);
  return async () => {
    isEnding = true;
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child.kill('SIGTERM');
    await supervising;
    clearTimeout(timer);
  };
}
