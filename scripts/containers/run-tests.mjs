// The tests of the running containers, in namespaces of their own: run-tests.mjs FOLDER CHECKOUT.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import nodemailer from 'nodemailer';
import { PlainError } from '../process/plain-error.mjs';
import { step } from '../steps/step.mjs';
import { problemsIn, readYaml } from './compose.mjs';
import { must, podman, run } from './engine.mjs';

const [folder = '', checkout = ''] = process.argv.slice(2);
const HOST = 'mail.example.test';
const URL_OF_CONSOLE = `https://${HOST}`;
const PASSWORD = 'paper-boats-on-the-canal';
const NAMES = ['db', 'app', 'mail', 'proxy'];
const MAX_APP_MB = 400;
const WITHIN_MS = 240_000;
const FILES = ['compose.yaml', 'compose.certificate.yaml', join(folder, 'test.yaml')];
/** No name server answers here. */
const TEST_YAML = `services:
  mail:
    environment:
      MAIL_NETWORK_CHECKS: 'no'
      MAIL_GREYLISTING: 'no'
`;
const containers = join(checkout, 'deploy/containers');
const SECRETS = join(containers, 'secrets');

const compose = (...args) =>
  must('podman-compose', ['--project-name', 'postroom', ...FILES.flatMap((file) => ['-f', file]), ...args], {
    cwd: containers,
  });
const inContainer = (name, ...command) => podman('exec', `postroom_${name}_1`, ...command);
const isHealthy = async (name) => (await run('podman', ['healthcheck', 'run', `postroom_${name}_1`])).status === 0;

let passed = 0;
/** @param {string} guarantee @param {() => Promise<void>} work */
const test = async (guarantee, work) => {
  await step(guarantee, work);
  passed += 1;
};

try {
  await testContainers();
  console.log(`\n${passed} passed, 0 failed`);
} catch (error) {
  console.error(error instanceof PlainError ? error.message : error);
  for (const name of NAMES) {
    const { output } = await run('podman', ['logs', '--tail', '30', `postroom_${name}_1`]);
    console.error(`\n${name}:\n${output}`);
  }
  process.exitCode = 1;
}

async function testContainers() {
  prepareNetwork();
  writeFileSync(join(folder, 'test.yaml'), TEST_YAML);
  // Containers and volumes of a run that was killed.
  await run('podman', ['rm', '--all', '--force']);
  await podman('volume', 'rm', '--all', '--force');

  await test('one command prepares secrets, once, that match compose.yaml and the images', async () => {
    await must(join(containers, 'prepare'), [HOST]);
    const [main, ipv6] = await Promise.all(
      ['compose.yaml', 'compose.ipv6.yaml'].map((file) => readYaml(join(containers, file))),
    );
    const problems = await problemsIn(main, readdirSync(SECRETS), ipv6);
    if (problems.length > 0) throw new PlainError(problems.join('\n'));
    const before = secrets();
    await must(join(containers, 'prepare'), ['other.example.test']);
    if (secrets() !== before) throw new PlainError('The second run changed them.');
    writeFileSync(join(containers, 'custom/postfix-main'), 'header_size_limit = 204800\n');
  });
  await test(`the app's image has less than ${MAX_APP_MB} MB`, async () => {
    const size = await podman('image', 'inspect', '--format', '{{.Size}}', 'localhost/postroom-app');
    const megabytes = Math.round(Number(size) / 1e6);
    if (!(megabytes < MAX_APP_MB)) throw new PlainError(`It has ${megabytes} MB.`);
    process.stdout.write(`${megabytes} MB, `);
  });
  await test('all containers get healthy, and the app prints the setup link', async () => {
    makeCertificate();
    await startAll();
    await until('a setup link', async () => (await setupToken()) !== undefined);
    await until('the agent runs', isAgentRunning);
    const page = await must('curl', ['-sSfL', '--cacert', join(SECRETS, 'tls_certificate'), `${URL_OF_CONSOLE}/login`]);
    if (!page.includes('</html>')) throw new PlainError(`This is no page:\n${page.slice(0, 2000)}`);
    const used = await inContainer('mail', 'postconf', '-c', '/etc/postroom-mail/postfix', '-h', 'header_size_limit');
    if (used !== '204800\n') throw new PlainError(`The setting in the folder custom isn't used: ${used}`);
  });
  await test('the app is no root, its root is read-only, and no environment has a password', async () => {
    const ids = await inContainer(
      'app',
      'sh',
      '-c',
      'id -u; grep CapEff /proc/1/status; touch /opt/postroom/x 2>&1 || true',
    );
    if (!/^1000\nCapEff:\s+0+\n.*Read-only file system/.test(ids)) throw new PlainError(ids);
    for (const name of NAMES) {
      const environment = await podman('inspect', '--format', '{{json .Config.Env}}', `postroom_${name}_1`);
      const found = readdirSync(SECRETS).find((file) =>
        environment.includes(readFileSync(join(SECRETS, file), 'utf8').trim()),
      );
      if (found) throw new PlainError(`${name} has ${found} in its environment.`);
    }
  });
  await test('the users of the mail server’s services can’t read the secrets', async () => {
    for (const user of ['_rspamd', 'postfix', 'dovenull', 'redis']) {
      const read = ['setpriv', `--reuid=${user}`, '--clear-groups', 'cat', '/run/secrets/secret_key'];
      const { status, output } = await run('podman', ['exec', 'postroom_mail_1', ...read]);
      if (status === 0 || !/Permission denied/.test(output)) throw new PlainError(`As ${user}: ${output}`);
    }
  });
  await test('the role of the app is no superuser', async () => {
    const url = readFileSync(join(SECRETS, 'database_url'), 'utf8').trim();
    const answer = await inContainer('mail', 'psql', '-XAt', url, '-c', 'SHOW is_superuser');
    if (answer.trim() !== 'off') throw new PlainError(answer);
  });
  await test('a message of the app arrives in a mailbox that was made over REST, signed', async () => {
    await messages('first', await setupToken());
    const stored = await content('hdr.dkim-signature hdr.subject');
    if (!/dkim-signature: v=1; .*d=shop\.example/s.test(stored)) throw new PlainError(`It is not signed:\n${stored}`);
  });
  await test('a message by SMTP from outside arrives, and is read by IMAP', async () => {
    await sendBySmtp('From outside');
    await until('the message', async () => (await readByImap()).includes('Subject: From outside'));
  });
  await test('a killed Dovecot and a killed agent are started again', async () => {
    const pid = (await inContainer('mail', 'cat', '/var/lib/postroom-mail/run/dovecot/master.pid')).trim();
    await inContainer('mail', 'sh', '-c', `kill -9 ${pid}; kill -9 $(pgrep -f '[a]gent-main.mjs')`);
    await until('another Dovecot', async () => {
      const { output } = await run('podman', [
        'exec',
        'postroom_mail_1',
        'deploy/mail/stack',
        'status',
        '/etc/postroom-mail',
      ]);
      const [, now] = /^dovecot: process (\d+)$/m.exec(output) ?? [];
      return now !== undefined && now !== pid && (await isHealthy('mail'));
    });
    // The agent reports what arrives.
    await messages('last');
  });
  await test('commands for admins run in the container', async () => {
    await inContainer('app', 'node', 'scripts/backup.mjs');
    const files = await inContainer('app', 'ls', '/var/lib/postroom/backups');
    if (!files.includes('postroom-')) throw new PlainError(files);
    await inContainer('mail', 'postqueue', '-c', '/etc/postroom-mail/postfix', '-p');
    await inContainer('db', 'sh', '-c', 'pg_dump -U postgres -Fc postroom >/dev/null');
  });
  await test('SIGTERM ends each container cleanly', async () => {
    for (const name of [...NAMES].reverse()) {
      await podman('stop', '--time', '60', `postroom_${name}_1`);
      const code = await podman('inspect', '--format', '{{.State.ExitCode}}', `postroom_${name}_1`);
      if (code.trim() !== '0') throw new PlainError(`${name} ended with ${code}`);
    }
  });
  await test('new containers have the mail, the settings and the sign-ins of the former ones', async () => {
    await podman('rm', '--all');
    await startAll();
    await until('the agent runs', isAgentRunning);
    const read = await readByImap();
    if (!read.includes('Subject: From outside')) throw new PlainError(read);
    await messages('more');
  });
}

/**
 * The host's name leads to the published ports of this network. The engine keeps its state in these folders, where other
 * runs left theirs.
 */
function prepareNetwork() {
  for (const path of ['/run', '/dev/shm']) execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', path]);
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  writeFileSync(join(folder, 'hosts'), `127.0.0.1 localhost ${HOST}\n`);
  execFileSync('mount', ['--bind', join(folder, 'hosts'), '/etc/hosts']);
}

function makeCertificate() {
  const files = ['-keyout', join(SECRETS, 'tls_key'), '-out', join(SECRETS, 'tls_certificate')];
  const names = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names, ...files], {
    stdio: 'ignore',
  });
  execFileSync('chmod', ['644', join(SECRETS, 'tls_key')]);
}

function secrets() {
  return [join(containers, '.env'), ...readdirSync(SECRETS).map((name) => join(SECRETS, name))]
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
}

/** podman-compose says nothing of a container that it couldn't start. */
async function startAll() {
  const output = await compose('up', '--detach', '--no-build');
  const started = (await podman('ps', '--all', '--quiet')).trim().split('\n');
  if (started.length !== NAMES.length) throw new PlainError(output);
  for (const name of NAMES) await until(`${name} is healthy`, () => isHealthy(name));
}

async function isAgentRunning() {
  return (await podman('logs', 'postroom_mail_1')).includes('The mail agent is running');
}

async function setupToken() {
  const { output } = await run('podman', ['logs', 'postroom_app_1']);
  return /setup\?token=(\S+)/.exec(output)?.[1];
}

/** Takes a step of scripts/bare/messages.mjs, in the console's API behind the proxy. */
async function messages(name, token = '') {
  const args = ['scripts/bare/messages.mjs', name, URL_OF_CONSOLE, 'ann@example.test', PASSWORD];
  await must('env', [
    `NODE_EXTRA_CA_CERTS=${join(SECRETS, 'tls_certificate')}`,
    process.execPath,
    ...args,
    ...(token ? [token] : []),
  ]);
}

function content(fields) {
  const doveadm = ['doveadm', '-c', '/etc/postroom-mail/dovecot/dovecot.conf'];
  return inContainer('mail', ...doveadm, 'fetch', '-u', 'bo@shop.example', fields, 'all');
}

async function sendBySmtp(subject) {
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port: 25, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: 'far@elsewhere.example', to: 'bo@shop.example', subject, text: 'Hello.' });
  transport.close();
}

async function readByImap() {
  const user = ['--user', 'bo@shop.example:paper boats on the canal'];
  const trust = ['--cacert', join(SECRETS, 'tls_certificate')];
  const { output } = await run('curl', ['-sS', ...trust, ...user, `imaps://${HOST}/INBOX;MAILINDEX=2`]);
  return output;
}

/** @param {string} what @param {() => Promise<boolean>} isDone */
async function until(what, isDone) {
  const deadline = Date.now() + WITHIN_MS;
  while (!(await isDone())) {
    if (Date.now() > deadline) throw new PlainError(`This did not happen within ${WITHIN_MS / 1000} seconds: ${what}.`);
    await sleep(300);
  }
}
