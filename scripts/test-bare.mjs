// `npm run test:bare`: what the documentation promises a newcomer, on a bare Debian with nothing but Node.js: the commands of
// its pages as they are, until a message has arrived in a mailbox, signed, and after an upgrade to the next Debian. Needs root on
// Debian, and the mail server's ports.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentedCommands } from './bare/documented.mjs';
import { startBareHost } from './bare/host.mjs';
import { runCommand } from './process/lifetime.mjs';
import { PlainError } from './process/plain-error.mjs';
import { secondsSince, step } from './steps/step.mjs';
import { isDebianAsRoot } from './testing/debian.mjs';

const RELEASE = 'bookworm';
const NEXT_RELEASE = 'trixie';
const MAIL_HOST = 'mail.example.test';
const PASSWORD = 'paper-boats-on-the-canal';
const INSTALLATION = 'docs/installation.md';
const MAIL_SERVER = 'docs/mail-server.md';

/** Sets each of the lines KEY=value in FILL_IN in the file, and removes those with nothing after the key. */
const EDITOR = `#!/usr/bin/node
const { readFileSync, writeFileSync } = require('node:fs');
const file = process.argv.at(-1);
const names = process.env.FILL_IN.split('|').map((line) => line.split('=')[0]);
const kept = readFileSync(file, 'utf8').split('\\n').filter((line) => !names.includes(line.split('=')[0]));
const added = process.env.FILL_IN.split('|').filter((line) => line.includes('='));
writeFileSync(file, [...kept, ...added, ''].join('\\n'));
`;

/** Holds the lock of the package lists for some seconds, then that of dpkg. */
const HOLD_LOCKS = `for lock in /var/lib/apt/lists/lock /var/lib/dpkg/lock-frontend; do
  perl -e 'use Fcntl; open(F, ">", shift); $whole = pack("s s x4 q q l x4", F_WRLCK, 0, 0, 0, 0); fcntl(F, F_SETLKW, $whole); sleep 5' $lock
done`;

const DOVECOT = '/etc/postroom-mail/dovecot/dovecot.conf';
/** Commands that print the content of a mailbox and of the queue. */
const CONTENT = `doveadm -c ${DOVECOT} fetch -u bo@shop.example 'mailbox uid guid flags text' all
  doveadm -c ${DOVECOT} mailbox status -u bo@shop.example 'uidvalidity uidnext' '*'
  doveadm -c ${DOVECOT} sieve list -u bo@shop.example
  postqueue -c /etc/postroom-mail/postfix -j | grep -o '"queue_id": "[^"]*"\\|"address": "[^"]*"'`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
await runCommand(testBareHost, { exitCodeWhenStopped: 130 });

/** @param {import('./process/lifetime.mjs').Lifetime} lifetime */
async function testBareHost(lifetime) {
  if (!isDebianAsRoot()) throw new PlainError('This test needs root on Debian.');
  const startedAt = Date.now();
  let passed = 0;
  /** @param {string} guarantee @param {() => Promise<void>} work */
  const test = async (guarantee, work) => {
    await step(guarantee, work);
    passed += 1;
  };
  const npmCache = join(homedir(), '.npm');
  mkdirSync(npmCache, { recursive: true });
  const shared = { '/repository': root, '/root/.npm': npmCache };
  const host = await step('Starting a bare host', () => startBareHost({ release: RELEASE, shared }, lifetime));
  writeFileSync(join(host.root, 'usr/local/bin/fill-in'), EDITOR, { mode: 0o755 });
  /** Takes a step of scripts/bare/messages.mjs. */
  const messages = (name) =>
    host.must(`node /root/messages.mjs ${name} http://127.0.0.1:3000 ann@example.test ${PASSWORD}`);
  const must = (text, env = {}) => host.must(text, { env: { SUDO_EDITOR: '/usr/local/bin/fill-in', ...env } });

  await test('Postgres is installed as documented', async () => {
    const commands = documentedCommands(INSTALLATION, 'Before you start', 'sudo apt install postgresql');
    await host.must(commands, { input: `${PASSWORD}\n${PASSWORD}\n` });
  });
  await test('the app is installed and started as documented', async () => {
    await makeCertificate(host);
    const commands = documentedCommands(INSTALLATION, 'Install', 'sudo useradd').replace(
      'git clone …',
      'git clone /repository',
    );
    await must(`git config --global --add safe.directory /repository\n${commands}`, {
      FILL_IN: settingLines({
        DATABASE_URL: `postgresql://postroom:${PASSWORD}@127.0.0.1:5432/postroom`,
        APP_URL: 'http://localhost:3000',
        HOST: '127.0.0.1',
        ADMIN_EMAIL: 'ann@example.test',
        ADMIN_PASSWORD: PASSWORD,
        NODE_EXTRA_CA_CERTS: '/etc/ssl/mail/fullchain.pem',
      }),
    });
    await must(untilHealthy('http://127.0.0.1:3000'));
  });
  await test('the mail server’s installer writes example settings, and stops', async () => {
    await must(`cd /opt/postroom
      { echo 'DATABASE_URL=postgresql://postroom:${PASSWORD}@127.0.0.1:5432/postroom'
        echo "SECRET_KEY=$(cat /var/lib/postroom/secret-key)"; } >.env
      chgrp postroom .env && chmod 0640 .env`);
    const { status, output } = await host.shell('cd /opt/postroom && sudo deploy/mail/install');
    if (status !== 1 || !output.includes('Created /etc/postroom-mail/settings')) throw new PlainError(output);
  });
  await test('the mail server is installed as documented, once another program has finished with apt', async () => {
    const [, ...commands] = documentedCommands(MAIL_SERVER, 'Install', 'sudo deploy/mail/install').trim().split('\n');
    const held = host.shell(HOLD_LOCKS);
    const output = await must(`cd /opt/postroom\n${commands.join('\n')}`, {
      FILL_IN: settingLines({
        HOSTNAME: MAIL_HOST,
        POSTMASTER: 'ann@example.test',
        DATABASE: `postgresql://mta_read:${PASSWORD}@127.0.0.1:5432/postroom`,
        ACME_EMAIL: null,
        TLS_CERTIFICATE: '/etc/ssl/mail/fullchain.pem',
        TLS_KEY: '/etc/ssl/mail/privkey.pem',
        APP_PASSWORD: `app-${PASSWORD}`,
        REDIS_PASSWORD: `redis-${PASSWORD}`,
        // No server listens there, so mail to others waits.
        RELAY_HOST: '[127.0.0.1]:9',
      }),
    });
    await held;
    if (!output.includes('Another program is using apt')) throw new PlainError(`It did not wait:\n${output}`);
    await must(
      'systemctl is-active postroom-mail-redis postroom-mail-rspamd postroom-mail-dovecot postroom-mail-postfix postroom-mail-agent',
    );
  });
  await test('a message from one mailbox arrives in another, signed', async () => {
    await must(`echo SMTP_URL=smtps://postroom:app-${PASSWORD}@${MAIL_HOST}:465 >>/etc/postroom/environment
      systemctl restart postroom\n${untilHealthy('http://127.0.0.1:3000')}`);
    writeFileSync(join(host.root, 'root/messages.mjs'), readFileSync(join(root, 'scripts/bare/messages.mjs')));
    await messages('first');
    const stored = await must(
      'doveadm -c /etc/postroom-mail/dovecot/dovecot.conf fetch -u bo@shop.example "hdr.dkim-signature hdr.subject" all',
    );
    if (!/dkim-signature: v=1; .*d=shop\.example/s.test(stored)) throw new PlainError(`It is not signed:\n${stored}`);
  });
  await test('the installer runs again, and the mail server goes on', async () => {
    await must(
      'cd /opt/postroom && sudo deploy/mail/install && systemctl is-active postroom-mail-postfix postroom-mail-agent',
    );
  });
  await test('npm start works beside it in another clone, as an ordinary user', async () => {
    await must(`useradd --create-home newcomer && cp -a /opt/postroom /home/newcomer/postroom && cd /home/newcomer/postroom
      rm -f .env && chown -R newcomer . && (sudo -u newcomer PORT=3100 npm start >/tmp/start.log 2>&1 &)
      ${untilHealthy('http://127.0.0.1:3100')} || { cat /tmp/start.log; exit 1; }
      grep -q 'http://localhost:3100/setup?token=' /tmp/start.log`);
  });
  await test(`mail, flags, filters, scripts and the queue outlast the upgrade from ${RELEASE} to ${NEXT_RELEASE}`, async () => {
    await messages('waiting');
    await must(`doveadm -c ${DOVECOT} flags add -u bo@shop.example '\\Flagged' mailbox INBOX all
      echo 'require "imap4flags"; addflag "\\\\Answered";' | doveadm -c ${DOVECOT} sieve put -u bo@shop.example -a own`);
    const before = await must(CONTENT);
    const commands = documentedCommands(MAIL_SERVER, 'Upgrade from Debian 12 to 13', 'sudo systemctl stop');
    if (!commands.endsWith('sudo reboot\n')) throw new PlainError(`The last command is another one:\n${commands}`);
    await must(commands.replace('sudo reboot\n', ''));
    await must(`grep -q ^VERSION_CODENAME=${NEXT_RELEASE} /etc/os-release
      dovecot --version | grep -q '^2[.]4[.]'
      [[ ! -e /etc/postroom-mail/dovecot/sieve.conf ]]
      ${untilHealthy('http://127.0.0.1:3000')}`);
    const after = await must(CONTENT);
    if (after !== before) throw new PlainError(`It was:\n${before}\nIt is:\n${after}`);
    await messages('more');
    const user = "--user 'bo@shop.example:paper boats on the canal'";
    const read = await must(`curl -sSk ${user} 'imaps://${MAIL_HOST}/Invoices;MAILINDEX=1'`);
    if (!read.includes('Subject: Invoice')) throw new PlainError(read);
    const flagged = await must(`doveadm -c ${DOVECOT} fetch -u bo@shop.example hdr.subject mailbox INBOX answered`);
    if (!flagged.includes('After the upgrade')) throw new PlainError(flagged);
  });
  console.log(`\nTotal time: ${secondsSince(startedAt)}.\n${passed} passed, 0 failed`);
  return 0;
}

function settingLines(settings) {
  return Object.entries(settings)
    .map(([name, value]) => (value === null ? name : `${name}=${value}`))
    .join('|');
}

function makeCertificate(host) {
  return host.must(`mkdir -p /etc/ssl/mail && cd /etc/ssl/mail
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${MAIL_HOST} -addext subjectAltName=DNS:${MAIL_HOST} \\
      -keyout privkey.pem -out fullchain.pem 2>/dev/null
    chmod 644 fullchain.pem
    echo 127.0.0.1 ${MAIL_HOST} >>/etc/hosts`);
}

function untilHealthy(url) {
  return `timeout 300 bash -c 'until node -e "fetch(process.argv[1]).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))" ${url}/api/v1/health; do sleep 0.5; done'`;
}
