// A bare Debian under systemd: a root folder made by debootstrap, with nothing but git, that runs in a container of
// systemd-nspawn. It shares the network of this machine, so its services use the real ports.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlainError } from '../process/plain-error.mjs';
import { copyBareDebian } from '../testing/debian-root.mjs';

const START_SECONDS = 60;

/**
 * Starts a bare host, which ends with the command.
 * @param {{ release: string, shared: Record<string, string> }} options `shared`: folders of this machine by their path on the host
 * @param {import('../process/lifetime.mjs').Lifetime} lifetime
 */
export async function startBareHost({ release, shared }, lifetime) {
  const root = mkdtempSync(join(tmpdir(), 'postroom-bare-'));
  lifetime.atEnd(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  copyBareDebian(release, root);
  const binds = Object.entries(shared).map(([path, source]) => `--bind=${source}:${path}`);
  const args = ['--quiet', '--boot', '--register=no', '--keep-unit', '--resolv-conf=off', ...binds, '-D', root];
  const container = spawn('setpriv', ['--pdeathsig', 'KILL', 'systemd-nspawn', ...args], { stdio: 'ignore' });
  const ended = once(container, 'exit');
  lifetime.atEnd(() => {
    for (const init of childrenOf(container.pid)) process.kill(init, 'SIGKILL');
    return ended;
  });
  const init = await untilReady(container.pid);
  return { root, ...commandsOf(init) };
}

/** @param {number} init the process id of the host's systemd */
function commandsOf(init) {
  const environment = [
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'HOME=/root',
    'LANG=C.UTF-8',
  ];
  const enter = ['--target', String(init), '--all', 'env', '-i', ...environment, ...ofThisMachine()];
  /**
   * Runs lines of a shell on the host, as root, until one fails.
   * @param {string} text
   * @param {{ env?: Record<string, string>, input?: string }} options
   * @returns {Promise<{ status: number | null, output: string }>}
   */
  const shell = async (text, { env = {}, input = '' } = {}) => {
    const added = Object.entries(env).map((pair) => pair.join('='));
    const args = [...enter, ...added, 'bash', '--norc', '-euo', 'pipefail', '-c', `exec 2>&1\n${text}`];
    // Node.js gives it a socket, from which bash would conclude that it is a remote login.
    const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => {}).end(input);
    const [chunks, [status]] = await Promise.all([child.stdout.toArray(), once(child, 'close')]);
    return { status, output: Buffer.concat(chunks).toString() };
  };
  /** @returns {Promise<string>} what the lines print. @throws PlainError if one fails */
  const must = async (text, options = {}) => {
    const { status, output } = await shell(text, options);
    if (status === 0) return output;
    throw new PlainError(`Exit code ${status} of:\n${text}\n\n${output.split('\n').slice(-40).join('\n')}`);
  };
  return { shell, must };
}

function ofThisMachine() {
  return ['NODE_EXTRA_CA_CERTS'].filter((name) => process.env[name]).map((name) => `${name}=${process.env[name]}`);
}

async function untilReady(nspawn) {
  const deadline = Date.now() + START_SECONDS * 1000;
  while (Date.now() < deadline) {
    const init = childrenOf(nspawn)[0];
    if (init) {
      const { output } = await commandsOf(init).shell('systemctl is-system-running || true');
      if (/running|degraded/.test(output)) return init;
    }
    await sleep(300);
  }
  throw new PlainError(`The bare host did not start within ${START_SECONDS} seconds.`);
}

function childrenOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number).filter(Boolean);
  } catch {
    return [];
  }
}
