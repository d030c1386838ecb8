// Runs the agent of the tests' mail server like systemd does: whenever it ends, it is started again.
import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { agentArguments } from './agent-arguments.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const START_AGAIN_MS = 300;
const START_WITHIN_MS = 60_000;
const END_WITHIN_MS = 10_000;

/**
 * Tests kill it with the pid in `run/agent/pid` and keep it stopped with a file `run/agent/off`. Its log is
 * `log/agent.log`.
 * @param {{ config: string, data: string }} mailServer
 * @param {Record<string, string>} env the app's environment
 * @returns {Promise<() => Promise<void>>} a function that stops it, once it runs
 */
export async function keepAgent({ config, data }, env) {
  const [pidFile, offFile] = ['pid', 'off'].map((name) => join(data, 'run/agent', name));
  const logFile = join(data, 'log/agent.log');
  const log = openSync(logFile, 'a');
  let isEnding = false;
  let child;
  let started;
  const hasStarted = new Promise((resolve) => {
    started = resolve;
  });
  const keeping = (async () => {
    while (!isEnding) {
      await sleep(START_AGAIN_MS);
      if (isEnding || existsSync(offFile)) continue;
      child = spawn(process.execPath, agentArguments(root), {
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
  const tooLate = sleep(START_WITHIN_MS, undefined, { ref: false }).then(() => {
    throw new Error(`The agent did not start:\n${readFileSync(logFile, 'utf8')}`);
  });
  await Promise.race([hasStarted, tooLate]);
  return async () => {
    isEnding = true;
    const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
    child.kill('SIGTERM');
    await keeping;
    clearTimeout(timer);
  };
}
