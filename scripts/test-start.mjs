// `npm run test:start`: clones the committed state and tests `npm start`: a fresh clone, a second one next to it, killed
// processes, wrong settings, another user, another version of Node.js.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePort } from './process/free-port.mjs';
import { installNode, otherNodeVersions } from './testing/other-node.mjs';
import { startPausingRelay } from './testing/pausing-relay.mjs';
import { isAlive, isHealthy, postgresOf, runStart, until } from './testing/trial.mjs';

const KEPT_VARIABLES = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'SystemRoot'];
const STOP_TIMEOUT_MS = 6_000;
const RESTART_TIMEOUT_MS = 30_000;
const LONGER_THAN_A_CONNECTION_MAY_TAKE_MS = 7_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const workspace = mkdtempSync(join(tmpdir(), 'postroom-start-'));
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => KEPT_VARIABLES.includes(name) || /^npm_config_/i.test(name)),
);
const first = join(workspace, 'first');
const second = join(workspace, 'second');
const trials = [];
const dataDirs = new Set();
let passed = 0;
let failed = 0;

process.on('SIGINT', () => cleanUp(130));
process.on('SIGTERM', () => cleanUp(143));

await testFreshClone();
if (failed === 0) {
  await testSideBySide();
  await testWrongSettings();
  await testSlowDatabase();
  await testOrdinaryUser();
  await testOtherNodeVersions();
}
console.log(`${passed} passed, ${failed} failed`);
cleanUp(failed === 0 ? 0 : 1);

async function testFreshClone() {
  run('git', ['clone', '--quiet', root, first]);
  let trial;
  await test('a fresh clone starts without any setting', async () => {
    trial = await startReady(first);
    return `healthy after ${seconds(trial.readyAfterMs)}`;
  });
  if (!trial) return;
  await test('it prints the setup link for the first admin, after everything else', async () => {
    // Requests are logged below it.
    const link = new RegExp(
      `Postroom is ready at .*\\n\\n.* http://localhost:${trial.port}/setup\\?token=\\S+\\n.*24 hours\\.\\n`,
    );
    if (!(await until(() => link.test(trial.output), 5_000)))
      throw new Error(`no link at the end of the start of:\n${trial.output}`);
  });
  await test('a second start in the same clone reports that it is in use', async () => {
    await expectRefusal(start(first), /in use by process \d+/);
  });
  await test('SIGTERM to the whole group ends everything', () => expectEnd(trial, () => trial.killGroup('SIGTERM')));
  await test('a second start installs and builds nothing', async () => {
    trial = await startReady(first);
    if (/Installing the packages|Building the console/.test(trial.output)) throw new Error(trial.output);
    return `healthy after ${seconds(trial.readyAfterMs)}`;
  });
  if (trial) await testKilledProcesses(trial);
}

/** Each start that is tested is the next one after the kill before it. */
async function testKilledProcesses(trial) {
  /** @type {[name: string, kill: (trial: any) => void][]} */
  const victims = [
    ['the server', (trial) => process.kill(trial.pidOf('serve.mjs'), 'SIGKILL')],
    ['the start script', (trial) => process.kill(trial.pidOf('scripts/start.mjs'), 'SIGKILL')],
    ['the whole group', (trial) => trial.killGroup('SIGKILL')],
  ];
  await test('after kill -9 of Postgres it is started again, and the app goes on', async () => {
    const { pid } = postgresOf(dataDirOf(trial.folder));
    process.kill(Number(pid), 'SIGKILL');
    const isBack = async () => postgresOf(dataDirOf(trial.folder)).pid !== pid && (await isHealthy(trial.port));
    if (!(await until(isBack, RESTART_TIMEOUT_MS))) throw new Error(trial.output);
  });
  let running = trial;
  for (const [name, kill] of victims) {
    await test(`after kill -9 of ${name} everything else stops, and the next start works`, async () => {
      kill(running);
      if (!(await until(() => running.processes().length === 0, STOP_TIMEOUT_MS)))
        throw new Error('processes are left');
      running = await startReady(first);
      return `healthy after ${seconds(running.readyAfterMs)}`;
    });
  }
  await test('SIGTERM to npm alone ends everything', () =>
    expectEnd(running, () => process.kill(running.group, 'SIGTERM')));
}

async function testSideBySide() {
  chmodSync(workspace, 0o755);
  run('cp', ['-a', first, second]);
  rmSync(dataDirOf(second), { recursive: true, force: true });
  await test('two clones run side by side', async () => {
    const one = await startReady(first);
    const other = await startReady(second);
    const homes = [one, other].map(({ folder }) => postgresOf(dataDirOf(folder)).home);
    if (homes[0] === homes[1]) throw new Error(`both keep their database in ${homes[0]}`);
    await expectEnd(one, () => one.killGroup('SIGTERM'));
    const stillServes = await fetch(`http://127.0.0.1:${other.port}/api/v1/health`);
    if (stillServes.status !== 200) throw new Error('stopping one affected the other');
    await expectEnd(other, () => other.killGroup('SIGTERM'));
  });
}

async function testWrongSettings() {
  let trial;
  await test('a PORT in use is reported in one sentence', async () => {
    const server = createServer();
    await new Promise((resolve) => server.listen(0, () => resolve(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    await expectRefusal(start(second, { PORT: String(port) }), /^Port \d+ is in use: .*\.$/m);
    server.close();
  });
  await test('a wrong setting is reported in one sentence', () =>
    expectRefusal(start(second, { MAX_MESSAGE_SIZE_MB: 'plenty' }), /^MAX_MESSAGE_SIZE_MB must be .*\.$/m));
  await test('a HOST of another machine is reported in one sentence', () =>
    expectRefusal(start(second, { HOST: '203.0.113.1' }), /^HOST \(203\.0\.113\.1\) is not an address .*\.$/m));
  await test('an unreachable database is reported in one sentence', async () => {
    const url = `postgresql://someone@127.0.0.1:${await freePort()}/postroom`;
    await expectRefusal(start(second, { DATABASE_URL: url }), /^The database at 127\.0\.0\.1.* cannot be used .*\.$/m);
  });
  await test('with HOST=127.0.0.1 nothing connects through another address, and it says so', async () => {
    trial = await startReady(second, { HOST: '127.0.0.1', APP_URL: 'http://mail.example.com' });
    const said = () => trial.output.includes(`Listening on 127.0.0.1, port ${trial.port}.`);
    if (!(await until(said, 5_000))) throw new Error(trial.output);
    const response = await fetch(`http://[::1]:${trial.port}/api/v1/health`).catch(() => undefined);
    if (response) throw new Error(`[::1] responded ${response.status}`);
  });
  await test('an address without https gets a warning', async () => {
    if (!(await until(() => trial.output.includes('Nobody can sign in at'), 5_000))) throw new Error(trial.output);
    await expectEnd(trial, () => trial.killGroup('SIGTERM'));
  });
}

async function testOrdinaryUser() {
  if (process.getuid?.() !== 0) return;
  const account = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
  if (!account) return;
  const user = { uid: Number(account[1]), gid: Number(account[2]) };
  const home = join(workspace, 'home');
  const folder = join(workspace, 'third');
  mkdirSync(home);
  run('cp', ['-a', second, folder]);
  rmSync(dataDirOf(folder), { recursive: true, force: true });
  run('chown', ['-R', `${user.uid}:${user.gid}`, home, folder]);
  await test('it starts as an unprivileged user', async () => {
    const trial = await startReady(folder, { HOME: home }, user);
    await expectEnd(trial, () => trial.killGroup('SIGTERM'));
    return `healthy after ${seconds(trial.readyAfterMs)}`;
  });
  await test('it starts as root afterwards', async () => {
    const trial = await startReady(folder);
    await expectEnd(trial, () => trial.killGroup('SIGTERM'));
  });
}

async function testOtherNodeVersions() {
  for (const version of otherNodeVersions()) {
    const bin = installNode(version, join(workspace, `node-${version}`));
    const folder = join(workspace, `clone-${version}`);
    const variables = { PATH: `${bin}${delimiter}${env.PATH}` };
    run('git', ['clone', '--quiet', root, folder]);
    await test(`a fresh clone installs on Node.js ${version}, until kill -9 in the middle of its build`, async () => {
      const trial = await start(folder, variables);
      await trial.untilPrinted('Building');
      await until(() => false, 3_000);
      trial.killGroup('SIGKILL');
      if (!(await until(() => trial.processes().length === 0, STOP_TIMEOUT_MS))) throw new Error('processes are left');
    });
    await test('the next start builds again, on that version', async () => {
      const trial = await startReady(folder, variables);
      if (!trial.output.includes('Building the console')) throw new Error(trial.output);
      const executable = process.platform === 'linux' && readlinkSync(`/proc/${trial.pidOf('serve.mjs')}/exe`);
      if (executable && !executable.startsWith(bin)) throw new Error(`it ran ${executable}`);
      await expectEnd(trial, () => trial.killGroup('SIGTERM'));
      return `healthy after ${seconds(trial.readyAfterMs)}`;
    });
  }
}

/** The database doesn't answer for a moment when the server starts, and again once it is ready. */
async function testSlowDatabase() {
  await test('a database that responds late is waited for quietly, and the setup link comes last', async () => {
    const module = pathToFileURL(join(second, 'scripts', 'postgres', 'temporary-postgres.mjs')).href;
    const postgres = await (await import(module)).startTemporaryPostgres();
    const url = new URL(postgres.adminUrl);
    const relay = await startPausingRelay(Number(url.port));
    const pauseUntil = async (isOver, atLeastMs) => {
      relay.pause();
      await until(() => false, atLeastMs);
      relay.resume();
      if (!(await until(isOver, RESTART_TIMEOUT_MS))) throw new Error('it did not go on');
    };
    try {
      url.port = String(relay.port);
      const trial = await start(second, { DATABASE_URL: url.href });
      await trial.untilPrinted('Starting the server');
      await pauseUntil(() => trial.output.includes('Postroom is ready'), LONGER_THAN_A_CONNECTION_MAY_TAKE_MS);
      await pauseUntil(() => isHealthy(trial.port), LONGER_THAN_A_CONNECTION_MAY_TAKE_MS);
      // Tasks that failed run again.
      await until(() => false, LONGER_THAN_A_CONNECTION_MAY_TAKE_MS);
      // The request is that of isHealthy.
      const output = trial.output.replace(/^\{.*"msg":"request"\}\n/gm, '');
      const link = new RegExp(`http://localhost:${trial.port}/setup\\?token=\\S+\\n.*24 hours\\.\\s*$`);
      if (!link.test(output) || /^\s+at |"stack"/m.test(output)) throw new Error(output);
      trial.killGroup('SIGTERM');
      if (!(await until(() => trial.processes().length === 0, RESTART_TIMEOUT_MS))) throw new Error('it did not end');
    } finally {
      relay.close();
      await postgres.stop();
    }
  });
}

async function startReady(...args) {
  const trial = await start(...args);
  return trial.untilReady();
}

async function start(folder, variables = {}, user = undefined) {
  dataDirs.add(dataDirOf(folder));
  const port = await freePort();
  const trial = runStart({ folder, port, env: { ...env, PORT: String(port), ...variables }, user });
  trials.push(trial);
  return trial;
}

async function expectRefusal(starting, sentence) {
  const trial = await (await starting).untilEnded();
  if (trial.exitCode === 0 || !sentence.test(trial.output)) {
    throw new Error(`exit code ${trial.exitCode}, and it said:\n${trial.output}`);
  }
}

async function expectEnd(trial, stop) {
  const { pid } = postgresOf(dataDirOf(trial.folder));
  const startedAt = Date.now();
  stop();
  const isGone = () => trial.processes().length === 0 && !isAlive(pid);
  if (!(await until(isGone, STOP_TIMEOUT_MS))) {
    const left = trial.processes().map(({ command }) => command);
    throw new Error(
      `left running after ${seconds(STOP_TIMEOUT_MS)}: ${[...left, isAlive(pid) ? 'Postgres' : ''].join(', ')}`,
    );
  }
  return `within ${seconds(Date.now() - startedAt)}`;
}

async function test(name, action) {
  try {
    const remark = await action();
    passed++;
    console.log(`ok      ${name}${remark ? ` (${remark})` : ''}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}

function cleanUp(exitCode) {
  for (const { exitCode: ended, killGroup } of trials) if (ended === undefined) killGroup('SIGKILL');
  for (const dataDir of dataDirs) {
    const { home, pid } = postgresOf(dataDir);
    if (pid && isAlive(pid)) process.kill(pid, 'SIGQUIT');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
  rmSync(workspace, { recursive: true, force: true, maxRetries: 5 });
  process.exit(exitCode);
}

function run(command, args) {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
}

function dataDirOf(folder) {
  return join(folder, '.data');
}

function seconds(durationMs) {
  return `${(durationMs / 1000).toFixed(1)} s`;
}
