// An installation takes these steps in order. A step that is done is left out, so that a run can be repeated and goes on after an interruption.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError } from '../../scripts/process/plain-error.mjs';
import { isBuildCurrent, isClientCurrent } from '../../scripts/steps/build.mjs';
import { isInstalled } from '../../scripts/steps/install.mjs';
import { fingerprint, readStamp, writeStamp } from '../../scripts/steps/stamp.mjs';
import { run, show, succeeds } from './commands.mjs';
import { canSignIn, databasePort, isDatabaseHere, makeDatabase } from './database.mjs';
import { listeners } from './listeners.mjs';
import { hasProxy, isProxyCurrent, removeProxy, setUpProxy } from './proxy.mjs';
import { isReplaced } from './requirements.mjs';
import { APP_DATA, changeSettings, missingSettings, readFormerSettings, readSettings, SETTINGS } from './settings.mjs';

export const APP_UNIT = '/etc/systemd/system/postroom.service';
const FORMER = { app: '/etc/postroom/environment', mail: '/etc/postroom-mail/settings' };
export const MAIL_CONFIG = '/etc/postroom-mail';
const START_SECONDS = 120;
/** Files and folders that the app needs to start, and the agent. */
const PROGRAM = ['src', 'scripts', 'prisma', 'public', 'next.config.mjs', 'package-lock.json'];
/** Other files and folders that the app and its commands read. */
const ALSO_READ = ['.next', 'deploy', 'docs', 'node_modules', 'package.json', 'prisma.config.ts', 'tsconfig.json'];
/** Settings of the app that its agent on this host uses as well. */
const OF_AGENT = /^(MAIL_|DATABASE_URL$|SECRET_KEY$|CONTENT_STORE$|AWS_|LOG_LEVEL$)/;

/**
 * @typedef {{ root: string, options: import('./options.mjs').Options }} Host
 * @typedef {{
 *   name: string, plan: (host: Host) => string, isDone: (host: Host) => boolean | Promise<boolean>,
 *   run: (host: Host) => unknown,
 * }} Step `plan` begins with a verb and says what `run` would do
 * @type {Step[]}
 */
export const STEPS = [
  {
    name: 'Debian packages',
    plan: (host) => `install ${packagesFor(host).join(', ')}`,
    isDone: (host) => packagesFor(host).every(isPackageInstalled),
    run: (host) => {
      // The package that Postfix replaces would go on listening. "disable --now" stops no service that has an init script only.
      if (listeners().some((each) => isReplaced(each)))
        for (const verb of ['stop', 'disable']) run('systemctl', [verb, '--quiet', 'exim4']);
      // Postgres takes the locale over, which must exist.
      show('deploy/mail/install-packages', packagesFor(host), { root: host.root, env: { LC_ALL: 'C.UTF-8' } });
    },
  },
  {
    name: 'User of the app',
    plan: () => `create the system user postroom, with ${APP_DATA} as its folder`,
    isDone: () => succeeds('id', ['postroom']),
    run: () =>
      run('useradd', ['--system', '--user-group', '--home-dir', APP_DATA, '--shell', '/usr/sbin/nologin', 'postroom']),
  },
  {
    name: 'Settings',
    plan: (host) => `set ${Object.keys(settingsToChange(host)).join(', ')} in ${SETTINGS}`,
    isDone: (host) => Object.keys(settingsToChange(host)).length === 0,
    run: (host) => changeSettings(settingsToChange(host)),
  },
  {
    name: 'Database',
    plan: () => 'create a role and a database named postroom in Debian’s Postgres',
    isDone: () => {
      const { DATABASE_URL: url } = readSettings();
      return url !== undefined && (!isDatabaseHere(url) || canSignIn(url));
    },
    run: () => makeDatabase(readSettings().DATABASE_URL ?? ''),
  },
  {
    name: 'Build of the app',
    plan: ({ root }) => `run npm run build in ${root}`,
    isDone: ({ root }) => isBuilt(root) && canRead(join(root, '.next/BUILD_ID')),
    run: ({ root }) => {
      show('npm', ['run', '--silent', 'build'], { root });
      makeReadable(root);
    },
  },
  {
    name: 'Service of the app',
    plan: () => `write ${APP_UNIT} and start the service postroom`,
    isDone: async ({ root }) =>
      existsSync(APP_UNIT) &&
      readFileSync(APP_UNIT, 'utf8') === appUnit(root) &&
      readStamp(root, 'app-service') === appStamp(root) &&
      succeeds('systemctl', ['is-active', '--quiet', 'postroom']) &&
      (await isAppReady()),
    run: startApp,
  },
  {
    name: 'Reverse proxy',
    plan: ({ options }) =>
      (options.proxy ?? readSettings().REVERSE_PROXY) === 'none'
        ? 'take Postroom out of Caddy, which ends if it has no other sites'
        : 'configure and start Caddy, which serves the console on ports 80 and 443',
    isDone: ({ root, options }) => {
      const settings = readSettings();
      const proxy = options.proxy ?? settings.REVERSE_PROXY;
      return proxy === 'none' ? !hasProxy() : proxy !== undefined && isProxyCurrent({ root, settings });
    },
    run: ({ root }) => {
      const settings = readSettings();
      if (settings.REVERSE_PROXY === 'none') removeProxy();
      else setUpProxy({ root, settings });
    },
  },
  {
    name: 'Mail server and agent',
    plan: () => `configure Postfix, Rspamd, Dovecot and Redis in ${MAIL_CONFIG}, and start them with the mail agent`,
    isDone: ({ root }) =>
      existsSync(join(MAIL_CONFIG, 'environment')) &&
      readStamp(root, 'mail-service') === mailStamp(root) &&
      succeeds(join(root, 'deploy/mail/stack'), ['health', MAIL_CONFIG]) &&
      succeeds('systemctl', ['is-active', '--quiet', 'postroom-mail-agent']),
    run: ({ root }) => {
      show('deploy/mail/install', [SETTINGS], { root });
      writeStamp(root, 'mail-service', mailStamp(root));
    },
  },
];

export function isBuilt(root) {
  return isInstalled(root) && isClientCurrent(root) && isBuildCurrent(root);
}

function packagesFor({ root, options }) {
  const { DATABASE_URL: database, REVERSE_PROXY: proxy } = { ...formerSettings(), ...readSettings() };
  return [
    ...(isDatabaseHere(database) ? ['postgresql'] : []),
    ...((options.proxy ?? proxy ?? 'caddy') === 'caddy' ? ['caddy'] : []),
    ...readFileSync(join(root, 'deploy/mail/packages'), 'utf8').trim().split('\n'),
  ];
}

function isPackageInstalled(name) {
  return succeeds('sh', ['-c', `dpkg-query -W -f '\${db:Status-Status}' "$0" | grep -qx installed`, name]);
}

function settingsToChange({ options }) {
  const given = readSettings();
  const former = Object.keys(given).length === 0 ? formerSettings() : {};
  const key = join(APP_DATA, 'secret-key');
  const facts = {
    databasePort: databasePort(),
    secretKey: existsSync(key) ? readFileSync(key, 'utf8').trim() : undefined,
    isPort80Free: !listeners().some(({ port }) => port === 80),
  };
  return { ...former, ...missingSettings({ ...former, ...given }, options, facts) };
}

/** Settings of an installation that was made step by step. */
function formerSettings() {
  return existsSync(SETTINGS) ? {} : readFormerSettings(FORMER);
}

function canRead(path) {
  return succeeds('runuser', ['-u', 'postroom', '--', 'test', '-r', path]);
}

/** A clone or a build that was made with umask 077 can't be read by the app's user. Other files in the folder keep their mode. */
function makeReadable(root) {
  chmodSync(root, 0o755);
  const read = [...PROGRAM, ...ALSO_READ].map((name) => join(root, name));
  run('chmod', ['-R', 'go+rX', ...read.filter((path) => existsSync(path))]);
}

function appUnit(root) {
  const unit = readFileSync(join(root, 'deploy/app/postroom.service'), 'utf8');
  return unit.replaceAll('/opt/postroom', root).replaceAll('/usr/bin/node', process.execPath);
}

async function startApp({ root }) {
  writeFileSync(APP_UNIT, appUnit(root), { mode: 0o644 });
  run('systemctl', ['daemon-reload']);
  run('systemctl', ['enable', '--quiet', 'postroom']);
  run('systemctl', ['restart', 'postroom']);
  const deadline = Date.now() + START_SECONDS * 1000;
  while (!(await isAppReady())) {
    if (Date.now() > deadline) {
      const log = run('journalctl', ['--unit=postroom', '--output=cat', '--lines=15', '--no-pager']);
      throw new PlainError(`The app didn't start within ${START_SECONDS} seconds:\n${log.trim()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  writeStamp(root, 'app-service', appStamp(root));
}

export async function isAppReady() {
  const { HOST: host = '', PORT: port = '3000' } = readSettings();
  const asked = /^(|0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return fetch(`http://${asked}:${port}/api/v1/health`, { signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function appStamp(root) {
  const settings = Object.entries(readSettings()).filter(([name]) => !name.startsWith('MAIL_') || name === 'MAIL_HOST');
  return fingerprint(root, [...PROGRAM, 'deploy/app'], { facts: [process.version, JSON.stringify(settings)] });
}

function mailStamp(root) {
  const settings = Object.entries(readSettings()).filter(([name]) => OF_AGENT.test(name));
  return fingerprint(root, [...PROGRAM, 'deploy/mail'], { facts: [process.version, JSON.stringify(settings)] });
}
