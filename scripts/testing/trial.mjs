// Runs and observes one `npm start`, for scripts/test-start.mjs.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_INTERVAL_MS = 50;
/** An installation and a build take minutes, which requests would prolong. */
const READY_INTERVAL_MS = 250;
const READY_TIMEOUT_MS = 600_000;
const END_TIMEOUT_MS = 40_000;

/**
 * @param {{ folder: string, port: number, env: Record<string, string>, user?: { uid: number, gid: number } }} options
 */
export function runStart({ folder, port, env, user }) {
  const startedAt = Date.now();
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: /** @type {any} */ (env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...user,
  });
  const group = child.pid;
  if (group === undefined) throw new Error('npm could not be started');
  /** @type {number | undefined} */
  let exitCode;
  const trial = { folder, port, group, output: '', readyAfterMs: 0 };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      trial.output += text;
    });
  }
  child.once('close', (code) => {
    exitCode = code ?? -1;
  });
  trial.untilReady = async () => {
    const isReady = await until(
      async () => exitCode !== undefined || (await isHealthy(port)),
      READY_TIMEOUT_MS,
      READY_INTERVAL_MS,
    );
    trial.readyAfterMs = Date.now() - startedAt;
    if (!isReady || exitCode !== undefined) throw new Error(`it did not become healthy:\n${trial.output}`);
    return trial;
  };
  trial.untilPrinted = (text) => until(() => trial.output.includes(text), READY_TIMEOUT_MS);
  trial.untilEnded = async () => {
    if (!(await until(() => exitCode !== undefined, END_TIMEOUT_MS))) throw new Error('it did not end');
    return trial;
  };
  trial.processes = () => processes().filter(({ pgid }) => pgid === trial.group);
  trial.pidOf = (script) => {
    const found = trial.processes().find(({ command }) => /^(\S*\/)?node /.test(command) && command.includes(script));
    if (!found) throw new Error(`${script} is not running`);
    return found.pid;
  };
  trial.killGroup = (signal) => {
    if (trial.processes().length > 0) process.kill(-trial.group, signal);
  };
  return trial;
}

/** The embedded Postgres of a data folder: its pid and the folder of its files. */
export function postgresOf(dataDir) {
  const pointer = join(dataDir, 'postgres-location.json');
  const home = existsSync(pointer) ? JSON.parse(readFileSync(pointer, 'utf8')).home : join(dataDir, 'postgres');
  const pidFile = join(home, 'data', 'postmaster.pid');
  return { home, pid: existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : undefined };
}

/** @returns {number[]} the processes that a process started */
export function childrenOf(pid) {
  return processes().flatMap((each) => (each.ppid === pid ? [each.pid] : []));
}

/** Zombies count as ended: their parent may never reap them. */
export function isAlive(pid) {
  return processes().some((each) => each.pid === pid);
}

export async function until(isTrue, timeoutMs, intervalMs = POLL_INTERVAL_MS) {
  const deadline = Date.now() + timeoutMs;
  while (Date.now() < deadline) {
    if (await isTrue()) return true;
    await sleep(intervalMs);
  }
  return false;
}

export async function isHealthy(port) {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/health`, { signal: AbortSignal.timeout(3_000) });
    return response.status === 200;
  } catch {
    return false;
  }
}

function processes() {
  return existsSync('/proc/self/stat') ? processesOfLinux() : processesOfPs();
}

function processesOfLinux() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [state, ppid, pgid] = readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return state === 'Z' ? [] : [{ pid: Number(name), ppid: Number(ppid), pgid: Number(pgid), command }];
      } catch {
        return [];
      }
    });
}

function processesOfPs() {
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,command='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .flatMap((line) => [...line.matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/g)])
    .filter(([, , , , state]) => !state?.startsWith('Z'))
    .map(([, pid, ppid, pgid, , command]) => ({ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid), command }));
}
