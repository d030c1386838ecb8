// `npm run test:bare`: what the documentation promises a newcomer, on a bare Debian: the commands of its pages as they are, until
// a message has arrived in a mailbox, signed, and after an upgrade to the next Debian. Needs root on Debian, and the ports of web
// and mail.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documentedCommands } from './bare/documented.mjs';
import { startBareHost } from './bare/host.mjs';
import { interruptionsOf } from './bare/interruptions.mjs';
import { upgradesOf } from './bare/upgrade.mjs';
import { runCommand } from './process/lifetime.mjs';
import { isPlain, PlainError } from './process/plain-error.mjs';
import { secondsSince, step } from './steps/step.mjs';
import { isDebianAsRoot } from './testing/debian.mjs';
import { run } from './testing/debian-root.mjs';

const RELEASE = 'bookworm';
const NEXT_RELEASE = 'trixie';
const MAIL_HOST = 'mail.example.test';
const CONSOLE = `https://${MAIL_HOST}`;
const PASSWORD = 'paper-boats-on-the-canal';
const INSTALLATION = 'docs/installation.md';
const MAIL_SERVER = 'docs/mail-server.md';

/** Fails if a command succeeds. */
const REFUSED = 'refused() { if "$@" >/dev/null 2>&1; then echo "Unexpected: $*"; exit 1; fi; }';

/** Holds the lock of the package lists for some seconds once an installation needs it, then that of dpkg. */
const HOLD_LOCKS = `timeout 300 bash -c 'until grep -qsh "^Debian packages" /var/log/postroom/installation-*; do sleep 0.1; done'
for lock in /var/lib/apt/lists/lock /var/lib/dpkg/lock-frontend; do
  perl -e 'use Fcntl; open(F, ">", shift); $whole = pack("s s x4 q q l x4", F_WRLCK, 0, 0, 0, 0); fcntl(F, F_SETLKW, $whole); sleep 5' $lock
done`;

const DOVECOT = '/etc/postroom-mail/dovecot/dovecot.conf';
/** Commands that print the content of a mailbox and of the queue. */
const CONTENT = `doveadm -c ${DOVECOT} fetch -u bo@shop.example 'mailbox uid guid flags text' all
  doveadm -c ${DOVECOT} mailbox status -u bo@shop.example 'uidvalidity uidnext' '*'
  doveadm -c ${DOVECOT} sieve list -u bo@shop.example
  postqueue -c /etc/postroom-mail/postfix -j | grep -o '"queue_id": "[^"]*"\\|"address": "[^"]*"'`;

/** An ACME server on the host, which checks challenges as Let's Encrypt does. Its own certificate and its root are in this folder. */
const ACME = '/etc/acme-server';
const ACME_OPTIONS = `--acme-server https://127.0.0.1:14000/dir --acme-ca ${ACME}/own.pem`;
const START_ACME_SERVER = `apt-get install -qq pebble openssl >/dev/null 2>&1
  mkdir -p ${ACME} && cd ${ACME}
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \\
    -keyout key.pem -out own.pem 2>/dev/null
  echo '{"pebble": {"listenAddress": "127.0.0.1:14000", "managementListenAddress": "127.0.0.1:15000", "certificate": "own.pem",
    "privateKey": "key.pem", "httpPort": 80, "tlsPort": 443, "certificateValidityPeriod": 7776000}}' >pebble.json
  systemd-run --quiet --unit=acme-server --working-directory=${ACME} --setenv=PEBBLE_VA_NOSLEEP=1 pebble -config pebble.json
  timeout 20 bash -c 'until curl -sSk https://127.0.0.1:15000/roots/0 -o root.pem; do sleep 0.2; done' 2>/dev/null
  cat /etc/ssl/certs/ca-certificates.crt own.pem root.pem >all.pem`;
const TRUST = `export NODE_EXTRA_CA_CERTS=${ACME}/all.pem`;

/** Prints what explains a message that didn't arrive, or a service that didn't start. */
const LAST_PROBLEMS = `journalctl --no-pager --quiet --priority=warning --lines=10
  grep -v 'status=sent' /var/lib/postroom-mail/log/postfix/mail.log | grep 'status=\\|warning\\|fatal' | tail -n 10`;

const UNITS = [
  'caddy',
  'postroom',
  ...['redis', 'rspamd', 'dovecot', 'postfix', 'agent'].map((name) => `postroom-mail-${name}`),
];
/** The lines of the state about a unit. */
const blockOf = (state, unit) => state.split('\n\n').find((block) => block.includes(`Id=${unit}.service`));
/** Prints the state that a second run must leave as it is: every process of the services, and every file of the configuration. */
const STATE = `for unit in ${UNITS.join(' ')}; do
    systemctl show --property=Id,ActiveState,MainPID,ExecMainStartTimestampMonotonic $unit; echo; done
  find /etc /usr/local /opt/postroom/deploy -type f -printf '%p %T@ %m %u\\n' | sort`;

/** With --walk [EVERY], an upgrade is also killed before each of its steps, or each of that many. Each kill takes a minute. */
const walkedFrom = process.argv.indexOf('--walk');
const walked = walkedFrom < 0 ? 0 : Number(process.argv[walkedFrom + 1] ?? 1);

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
    await step(guarantee, work).catch(async (error) => {
      const { output } = await host.shell(LAST_PROBLEMS);
      throw isPlain(error) ? new PlainError(`${error.message}\n\nWhat the host logged last:\n${output}`) : error;
    });
    passed += 1;
  };
  const npmCache = join(homedir(), '.npm');
  mkdirSync(npmCache, { recursive: true });
  const shared = { '/repository': cloneHere(lifetime), '/root/.npm': npmCache };
  const host = await step('Starting a bare host', () => startBareHost({ release: RELEASE, shared }, lifetime));
  writeFileSync(join(host.root, 'root/messages.mjs'), readFileSync(join(root, 'scripts/bare/messages.mjs')));
  const { must } = host;
  const { runUntil } = interruptionsOf(host);
  /** Takes a step of scripts/bare/messages.mjs, in the console's API behind the proxy. */
  const messages = (name, token = '') =>
    must(`${TRUST}\nnode /root/messages.mjs ${name} ${CONSOLE} ann@example.test ${PASSWORD} ${token}`);
  const documented = documentedCommands(INSTALLATION, 'Install', 'sudo apt install git')
    .replace('git clone …', 'git clone -q /repository')
    .replaceAll('mail.example.com', MAIL_HOST);
  const install = documented.trim().split('\n').at(-1);
  let report = '';

  await test('the clone and a dry run change nothing else on the host', async () => {
    await must(`umask 077\n${documented.replace(install ?? '', '')}`);
    const output = await must(`${REFUSED}\n${install} --dry-run\nrefused command -v node\n[[ ! -e /etc/postroom ]]`);
    if (!/Debian packages: would install postgresql, caddy, postfix,/.test(output)) throw new PlainError(output);
  });
  await test('an installation that is killed goes on where it stopped', async () => {
    await must(`echo 127.0.0.1 ${MAIL_HOST} >>/etc/hosts
      apt-get update -qq && apt-get install -qq --no-install-recommends exim4-daemon-light curl >/dev/null 2>&1
      systemctl is-active exim4
      ${START_ACME_SERVER}`);
    // No server listens at the relay, so mail to others waits.
    await must(`mkdir /etc/postroom && echo 'MAIL_RELAY_HOST=[127.0.0.1]:9' >/etc/postroom/settings`);
    const held = host.shell(HOLD_LOCKS);
    const { isKilled, output } = await runUntil(`${install?.replace('sudo ', '')} ${ACME_OPTIONS}`, 'npm run --silent');
    await must(`${REFUSED}\nrefused systemctl is-active exim4
      for unit in postfix dovecot rspamd redis-server; do refused systemctl is-enabled $unit; done`);
    await held;
    if (!isKilled || !output.includes('Another program is using apt'))
      throw new PlainError(`It did not wait, or did not get to the build:\n${output}`);
  });
  await test('one command makes the host a mail server, and names what is left to do', async () => {
    report = await must(`${TRUST}\numask 077\n${install} ${ACME_OPTIONS}`);
    if (/Debian packages\n|^Settings\n/m.test(report)) throw new PlainError(`It began again:\n${report}`);
    for (const wanted of [
      '✓ Services',
      `✗ Address of the host\n    DNS has no address for ${MAIL_HOST}`,
      '✗ Outbound mail',
    ])
      if (!report.includes(wanted)) throw new PlainError(`There is no "${wanted}":\n${report}`);
    await must(`[[ $(stat -c '%a %U %G' /etc/postroom/settings) == '640 root postroom' ]]`);
  });
  await test('console and mail server get certificates through the same port', async () => {
    for (const port of [443, 465])
      await must(`timeout 120 bash -c "until openssl s_client -connect 127.0.0.1:${port} -servername ${MAIL_HOST} </dev/null 2>/dev/null |
        openssl x509 -noout -issuer | grep -q Pebble; do sleep 1; done"`);
  });
  await test('a message from one mailbox arrives in another, signed', async () => {
    const [, token] = /^Set up the first admin: \S+\/setup\?token=(\S+)$/m.exec(report) ?? [];
    if (!token) throw new PlainError(`There is no setup link:\n${report}`);
    await messages('first', token);
    const stored = await must(`doveadm -c ${DOVECOT} fetch -u bo@shop.example "hdr.dkim-signature hdr.subject" all`);
    if (!/dkim-signature: v=1; .*d=shop\.example/s.test(stored)) throw new PlainError(`It is not signed:\n${stored}`);
  });
  await test('a second run changes and restarts nothing, and a check names what is wrong', async () => {
    const before = await must(STATE);
    const output = await must(`${install} ${ACME_OPTIONS}`);
    if (!output.includes('Nothing was changed.') || output.includes('setup?token')) throw new PlainError(output);
    const after = await must(STATE);
    if (after !== before) throw new PlainError(`It was:\n${before}\nIt is:\n${after}`);
    const check = await host.shell(`${TRUST}\n/opt/postroom/deploy/install --check`);
    if (check.status !== 1 || !check.output.includes('✓ Console\n✓ Mail certificate\n'))
      throw new PlainError(check.output);
    await must('systemctl stop postroom-mail-rspamd');
    const broken = await host.shell('/opt/postroom/deploy/install --check');
    if (!broken.output.includes("postroom-mail-rspamd isn't running")) throw new PlainError(broken.output);
    // As deploy/mail/restore writes the file of a backup.
    await must('chown root:root /etc/postroom/settings && chmod 600 /etc/postroom/settings');
    await must(
      `${install}\nsystemctl is-active postroom-mail-rspamd && runuser -u postroom -- test -r /etc/postroom/settings`,
    );
  });
  await test('an upgrade of packages restarts what runs on them, and nothing else', async () => {
    const [before, after] = [
      await must(STATE),
      await must(`apt-get install -qq --reinstall rspamd >/dev/null 2>&1\n${STATE}`),
    ];
    const changed = UNITS.filter((unit) => blockOf(before, unit) !== blockOf(after, unit));
    if (changed.join() !== 'postroom-mail-rspamd') throw new PlainError(`It restarted ${changed.join()}.`);
  });
  await test('npm start works beside it in another clone, as an ordinary user', async () => {
    await must(`useradd --create-home newcomer && cp -a /opt/postroom/releases/* /home/newcomer/postroom && cd /home/newcomer/postroom
      chown -R newcomer . && (sudo -u newcomer PORT=3100 npm start >/tmp/start.log 2>&1 &)
      ${untilHealthy('http://127.0.0.1:3100')} || { cat /tmp/start.log; exit 1; }
      grep -q 'http://localhost:3100/setup?token=' /tmp/start.log`);
  });
  const upgrades = upgradesOf({
    host,
    root,
    commands: documentedCommands(INSTALLATION, 'Upgrade', 'cd /opt/postroom'),
    environment: TRUST,
    signIn: `${CONSOLE} ann@example.test ${PASSWORD}`,
    mailbox: `doveadm -c ${DOVECOT} fetch -u bo@shop.example hdr.subject all | sed -n 's/^hdr.subject: //p'`,
  });
  await test('an upgrade that was killed goes on, refuses no call and no mail, and loses none', upgrades.succeeding);
  if (walked) await test('an upgrade that is killed before each of its steps goes on', () => upgrades.walking(walked));
  await test(
    'an upgrade whose migration fails, or whose app does not start, is taken back, and the same applies',
    upgrades.failing,
  );
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
  await test('removed, it leaves mail and data, and comes back with them', async () => {
    const before = await must(CONTENT);
    const { output } = await host.shell(
      `mv /etc/postroom/settings /root\n${install} || mv /root/settings /etc/postroom/`,
    );
    if (!output.includes('has no SECRET_KEY')) throw new PlainError(output);
    const { output: foreign } = await host.shell(`cp -a /etc/postroom/settings /root
      sed -i 's|^DATABASE_URL=.*|DATABASE_URL=postgresql://postroom:wrong@127.0.0.1:5432/other|' /etc/postroom/settings
      echo MAIL_DATA_DIR=/home/mail >>/etc/postroom/settings
      printf '[Service]\\nExecStart=/bin/true\\n[Install]\\nWantedBy=multi-user.target\\n' >/etc/systemd/system/nginx.service
      systemctl enable nginx
      ${install} || mv /root/settings /etc/postroom/
      systemctl disable nginx
      rm /etc/systemd/system/nginx.service`);
    const refusals = [
      /Another program uses the role/,
      /nginx starts when this host does/,
      /MAIL_DATA_DIR is \/home\/mail/,
    ];
    if (!refusals.every((refusal) => refusal.test(foreign))) throw new PlainError(foreign);
    await runUntil('/opt/postroom/deploy/install --remove', 'systemctl daemon-reload');
    await must(`${REFUSED}\n/opt/postroom/deploy/install --remove
      refused compgen -G '/etc/systemd/system/postroom*'
      for port in 25 80 443 465 993 3000; do refused bash -c "exec 3<>/dev/tcp/127.0.0.1/$port"; done`);
    await runUntil(String(install).replace('sudo ', ''), 'systemctl reload-or-restart caddy');
    await must(`${TRUST}\n${install}`);
    const after = await must(CONTENT);
    if (after !== before) throw new PlainError(`It was:\n${before}\nIt is:\n${after}`);
    await messages('last');
  });
  console.log(`\nTotal time: ${secondsSince(startedAt)}.\n${passed} passed, 0 failed`);
  return 0;
}

/** @returns {string} a repository with the commit of this one, which may be a work tree of another */
function cloneHere(lifetime) {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-clone-'));
  lifetime.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  run('git', ['clone', '--quiet', '--bare', root, folder]);
  return folder;
}

function untilHealthy(url) {
  return `timeout 300 bash -c 'until node -e "fetch(process.argv[1]).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))" ${url}/api/v1/health; do sleep 0.5; done'`;
}
