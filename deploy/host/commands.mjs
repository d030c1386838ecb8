import { spawnSync } from 'node:child_process';
import { PlainError } from '../../scripts/process/plain-error.mjs';

/**
 * Runs a command and returns what it prints on standard output.
 * @param {string} command
 * @param {string[]} args
 * @param {{ input?: string, env?: Record<string, string> }} options `env`: variables besides those of this process
 * @throws PlainError with the end of what it prints
 */
export function run(command, args, { input = '', env = {} } = {}) {
  const { error, status, signal, stdout, stderr } = start(command, args, { input, env });
  if (status === 0) return stdout;
  const output = `${stdout}\n${stderr}`.trim().split('\n').slice(-10).join('\n');
  const reason = error?.message ?? (signal ? `it was ended by ${signal}` : output);
  throw new PlainError(`${command} failed: ${reason}`);
}

/** @returns {boolean} */
export function succeeds(command, args, { env = {} } = {}) {
  return start(command, args, { env }).status === 0;
}

/** Runs a command that shows its progress itself, in Postroom's folder. @throws PlainError */
export function show(command, args, { root, env = {} }) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  if (status !== 0) throw new PlainError(`${[command, ...args].join(' ')} failed.`);
}

function start(command, args, { input = '', env }) {
  const all = { ...process.env, LC_ALL: 'C.UTF-8', ...env };
  return spawnSync(command, args, { input, env: all, cwd: '/', encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}
