// From nothing to a page: a fresh clone of Postroom, and a Next.js app with one page and the same versions.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../process/free-port.mjs';
import { PlainError } from '../process/plain-error.mjs';
import { until } from '../testing/trial.mjs';

const BARE_PACKAGES = ['next', 'react', 'react-dom'];
const TIMEOUT_MS = 1_800_000;
const MB = 1_048_576;

const TICKS_PER_SECOND = 100;

/** @typedef {{ cpuSeconds: number, wallSeconds: number }} Start */
/** @typedef {{ first: Start, warm: Start, files: number, megabytes: number }} Measured */

/**
 * @param {string} root
 * @param {import('../process/lifetime.mjs').Lifetime} lifetime
 * @returns {Promise<{ bare: Measured, own: Measured }>}
 */
export async function compareStarts(root, lifetime) {
  const workspace = mkdtempSync(join(tmpdir(), 'postroom-bench-start-'));
  lifetime.atEnd(() => rmSync(workspace, { recursive: true, force: true, maxRetries: 5 }));
  const bare = join(workspace, 'bare');
  makeBareApp(root, bare);
  const own = join(workspace, 'own');
  const { status, stderr } = spawnSync('git', ['clone', '--quiet', root, own], { encoding: 'utf8' });
  if (status !== 0) throw new PlainError(`The repository could not be cloned: ${stderr}`);
  return {
    bare: await measure(bare, { path: '/', first: ['npm', 'run', 'first'], warm: ['npm', 'start'] }, lifetime),
    own: await measure(own, { path: '/api/v1/health', first: ['npm', 'start'], warm: ['npm', 'start'] }, lifetime),
  };
}

function makeBareApp(root, folder) {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  mkdirSync(join(folder, 'app'), { recursive: true });
  const scripts = { first: 'npm install --no-audit --no-fund && next build && next start', start: 'next start' };
  const own = { name: 'bare', private: true, scripts, dependencies: {} };
  for (const name of BARE_PACKAGES) own.dependencies[name] = dependencies[name];
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
  writeFileSync(
    join(folder, 'app', 'layout.js'),
    'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n',
  );
  writeFileSync(join(folder, 'app', 'page.js'), 'export default () => <p>Hello</p>;\n');
}

/** @returns {Promise<Measured>} */
async function measure(folder, { path, first, warm }, lifetime) {
  const started = await start(folder, first, path, lifetime);
  const { files, bytes } = contentOf(join(folder, 'node_modules'));
  return { first: started, warm: await start(folder, warm, path, lifetime), files, megabytes: bytes / MB };
}

/**
 * Starts a command, waits until it serves, and stops it.
 * @returns {Promise<Start>}
 */
async function start(folder, command, path, lifetime) {
  const port = await freePort();
  const startedAt = Date.now();
  const [program, ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, PORT: String(port), NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = () => {
    if (child.exitCode === null) process.kill(-Number(child.pid), 'SIGTERM');
    return ended;
  };
  lifetime.atEnd(stop);
  const isServing = async () => child.exitCode !== null || (await responds(`http://127.0.0.1:${port}${path}`));
  const isReady = (await until(isServing, TIMEOUT_MS)) && child.exitCode === null;
  const measured = { wallSeconds: (Date.now() - startedAt) / 1000, cpuSeconds: cpuSecondsOf(Number(child.pid)) };
  await stop();
  if (!isReady) throw new PlainError(`${command.join(' ')} did not start:\n${output}`);
  return measured;
}

/** User and system time of a group's processes and of those that they have waited for. Postgres has a group of its own. */
function cpuSecondsOf(group) {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [, , processGroup, ...fields] = statFieldsOf(pid);
    if (Number(processGroup) === group)
      ticks += fields
        .slice(8, 12)
        .map(Number)
        .reduce((sum, each) => sum + each);
  }
  return ticks / TICKS_PER_SECOND;
}

/** The fields from the third on, which follows the name. A process may have ended meanwhile. */
function statFieldsOf(pid) {
  const path = `/proc/${pid}/stat`;
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
    : [];
}

async function responds(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  return response?.status === 200;
}

function contentOf(folder) {
  const total = { files: 0, bytes: 0 };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    total.files += 1;
    total.bytes += statSync(join(entry.parentPath, entry.name)).size;
  }
  return total;
}
