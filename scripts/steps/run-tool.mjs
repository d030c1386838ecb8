import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

const KILL_AFTER_MS = 3_000;
const running = new Set();

/**
 * Runs a Node script in the project's root and collects its output.
 * @param {string} script
 * @param {string[]} args
 * @param {{ root: string, env?: Record<string, string | undefined>, onOutput?: (text: string) => void }} options
 * @returns {Promise<{ exitCode: number, output: string }>}
 */
export function runTool(script, args, { root, env = process.env, onOutput }) {
  const imported = ['--import', new URL('../process/stop-with-parent.mjs', import.meta.url).href];
  const child = spawn(process.execPath, [...imported, script, ...args], {
    cwd: root,
    env: /** @type {any} */ ({ ...quietTools, ...env, POSTROOM_PARENT: String(process.pid) }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
      onOutput?.(text);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      running.delete(child);
      const reason = signal === 'SIGKILL' ? 'It was killed, as the system does when there is not enough memory.' : '';
      resolve({ exitCode: code ?? 1, output: reason ? `${output.trimEnd()}\n${reason}\n` : output });
    });
  });
}

/** The file behind a command of an installed package. */
export function toolPath(root, command) {
  return realpathSync(join(root, 'node_modules', '.bin', command));
}

/** The npm that runs this process, else the one next to this Node. */
export function npmPath() {
  const candidates = [
    process.env.npm_execpath ?? '',
    join(process.execPath, '..', '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(process.execPath, '..', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  return candidates.find((path) => path.endsWith('npm-cli.js') && existsSync(path));
}

export function stopTools() {
  return Promise.all([...running].map((child) => stopChild(child, KILL_AFTER_MS)));
}

/** @param {import('node:child_process').ChildProcess} child */
export function stopChild(child, killAfterMs) {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  return new Promise((resolve) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
    child.kill('SIGTERM');
  });
}

const quietTools = { NEXT_TELEMETRY_DISABLED: '1', CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' };
