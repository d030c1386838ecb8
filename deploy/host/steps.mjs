// An installation takes these steps in order. A step that is done is left out, so that a run can be repeated and goes on after an interruption.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError } from '../../scripts/process/plain-error.mjs';
import { fingerprint, readStamp, writeStamp } from '../../scripts/steps/stamp.mjs';
import { buildApp, isBuilt } from './build.mjs';
import { run, show, succeeds } from './commands.mjs';
import { canSignIn, databasePort, isDatabaseHere, makeDatabase, remoteProblems } from './database.mjs';
import { replaceFile } from './files.mjs';
import { listeners } from './listeners.mjs';
import { hasProxy, isProxyCurrent, removeProxy, setUpProxy } from './proxy.mjs';
import { APP_UNIT, isCopied } from './releases.mjs';
import { isReplaced } from './requirements.mjs';
import { APP_DATA, changeSettings, missingSettings, readFormerSettings, readSettings, SETTINGS } from './settings.mjs';

const FORMER = { app: '/etc/postroom/environment', mail: '/etc/postroom-mail/settings' };
export const MAIL_CONFIG = '/etc/postroom-mail';
const START_SECONDS = 120;
/** Postgres may be away for a moment, which ends the app's start. */
const MAX_RESTARTS = 3;
/** Settings of the app that its agent on this host uses as well. */
const OF_AGENT = /^(MAIL_|DATABASE_URL$|SECRET_KEY$|CONTENT_STORE$|AWS_|LOG_LEVEL$)/;

/**
 * @typedef {import('./releases.mjs').Release & { options: import('./options.mjs').Options }} Host
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
      show('deploy/mail/install-packages', packagesFor(host), { root: host.source, env: { LC_ALL: 'C.UTF-8' } });
    },
  },
  {
    name: 'User of the app',
    plan: () => `create the system user postroom, with ${APP_DATA} as its folder`,
    isDone: () => hasEntry('group') && hasEntry('passwd'),
    run: () => {
      // One entry after the other: useradd with --user-group that is killed may leave a user without a group.
      if (!hasEntry('group')) run('groupadd', ['--system', 'postroom']);
      const options = ['--system', '--gid', 'postroom', '--home-dir', APP_DATA, '--shell', '/usr/sbin/nologin'];
      if (!hasEntry('passwd')) run('useradd', [...options, 'postroom']);
    },
  },
  {
    name: 'Settings',
    plan: (host) =>
      Object.keys(settingsToChange(host)).length === 0
        ? `let the app read ${SETTINGS}`
        : `set ${Object.keys(settingsToChange(host)).join(', ')} in ${SETTINGS}`,
    // deploy/mail/restore writes the file of a backup, which is root's alone.
    isDone: (host) => Object.keys(settingsToChange(host)).length === 0 && canRead(SETTINGS),
    run: (host) => changeSettings(settingsToChange(host)),
  },
  {
    name: 'Database',
    plan: () => {
      const { DATABASE_URL: url } = readSettings();
      return isDatabaseHere(url)
        ? 'create a role and a database named postroom in Debian’s Postgres'
        : 'sign in to the database at DATABASE_URL';
    },
    isDone: () => {
      const { DATABASE_URL: url } = readSettings();
      return url !== undefined && (isDatabaseHere(url) ? canSignIn(url) : remoteProblems(readSettings()).length === 0);
    },
    run: () => {
      const settings = readSettings();
      const { DATABASE_URL: url = '' } = settings;
      const problems = isDatabaseHere(url) ? [] : remoteProblems(settings);
      if (problems.length > 0) throw new PlainError(problems.join('\n'));
      if (isDatabaseHere(url)) makeDatabase(url);
    },
  },
  {
    name: 'Build of the app',
    plan: ({ root }) => `copy this folder to ${root} and run npm run build there`,
    isDone: (host) => isCopied(host) && isBuilt(host.root) && canRead(join(host.root, '.next/BUILD_ID')),
    run: buildApp,
  },
  {
    name: 'Service of the app',
    plan: () => `write ${APP_UNIT} and start the service postroom`,
    isDone: async (host) =>
      existsSync(APP_UNIT) &&
      readFileSync(APP_UNIT, 'utf8') === appUnit(host) &&
      readStamp(host.root, 'app-service') === appStamp(host) &&
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
    isDone: ({ source, options }) => {
      const settings = readSettings();
      const proxy = options.proxy ?? settings.REVERSE_PROXY;
      return proxy === 'none' ? !hasProxy() : proxy !== undefined && isProxyCurrent({ root: source, settings });
    },
    run: ({ source }) => {
      const settings = readSettings();
      if (settings.REVERSE_PROXY === 'none') removeProxy();
      else setUpProxy({ root: source, settings });
    },
  },
  {
    name: 'Mail server and agent',
    plan: () => `configure Postfix, Rspamd, Dovecot and Redis in ${MAIL_CONFIG}, and start them with the mail agent`,
    isDone: (host) =>
      existsSync(join(MAIL_CONFIG, 'environment')) &&
      readStamp(host.root, 'mail-service') === mailStamp(host) &&
      isMailServerUp(host) &&
      succeeds('systemctl', ['is-active', '--quiet', 'postroom-mail-agent']),
    run: (host) => {
      show('deploy/mail/install', [SETTINGS], { root: host.root });
      stampMailServer(host);
    },
  },
];

export function isMailServerUp({ source }) {
  return succeeds(join(source, 'deploy/mail/stack'), ['health', MAIL_CONFIG]);
}

/** Tells whether the mail server takes mail, whatever its other services do. */
export function isPostfixUp(source) {
  return succeeds(join(source, 'deploy/mail/stack'), ['health', MAIL_CONFIG, 'postfix']);
}

/** Records what the mail server and its agent run with. */
export function stampMailServer(host) {
  writeStamp(host.root, 'mail-service', mailStamp(host));
}

/** @param {Host} host */
export function packagesFor({ source, options }) {
  const { DATABASE_URL: database, REVERSE_PROXY: proxy } = { ...formerSettings(), ...readSettings() };
  return [
    ...(isDatabaseHere(database) ? ['postgresql'] : []),
    ...((options.proxy ?? proxy ?? 'caddy') === 'caddy' ? ['caddy'] : []),
    ...readFileSync(join(source, 'deploy/mail/packages'), 'utf8').trim().split('\n'),
  ];
}

export function isPackageInstalled(name) {
  return succeeds('sh', ['-c', `dpkg-query -W -f '\${db:Status-Status}' "$0" | grep -qx installed`, name]);
}

export function settingsToChange({ options }) {
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

function hasEntry(database) {
  return succeeds('getent', [database, 'postroom']);
}

function canRead(path) {
  return succeeds('runuser', ['-u', 'postroom', '--', 'test', '-r', path]);
}

function appUnit({ source, root }) {
  const unit = readFileSync(join(source, 'deploy/app/postroom.service'), 'utf8');
  return unit.replaceAll('/opt/postroom', root).replaceAll('/usr/bin/node', process.execPath);
}

/** Lets the app's service run in the folder of a release, and waits until it answers. @throws PlainError with the end of its log */
export async function startApp(host) {
  replaceFile(APP_UNIT, appUnit(host), { mode: 0o644 });
  run('systemctl', ['daemon-reload']);
  run('systemctl', ['enable', '--quiet', 'postroom']);
  // Systemd counts the starts from here.
  succeeds('systemctl', ['reset-failed', 'postroom']);
  run('systemctl', ['restart', 'postroom']);
  const deadline = Date.now() + START_SECONDS * 1000;
  while (!(await isAppReady())) {
    const isFailing = Number(propertyOf('postroom', 'NRestarts')) >= MAX_RESTARTS;
    if (isFailing || Date.now() > deadline) {
      const log = run('journalctl', ['--unit=postroom', '--output=cat', '--lines=15', '--no-pager']);
      const problem = isFailing ? 'ended at each start' : `didn't start within ${START_SECONDS} seconds`;
      throw new PlainError(`The app ${problem}:\n${log.trim()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  writeStamp(host.root, 'app-service', appStamp(host));
}

/** @returns {string} */
export function propertyOf(unit, name) {
  return run('systemctl', ['show', '--value', `--property=${name}`, unit]).trim();
}

export async function isAppReady() {
  return (await askApp('/api/v1/health'))?.ok ?? false;
}

/** @returns {Promise<Response | null>} null if the app doesn't answer */
export function askApp(path) {
  const { HOST: host = '', PORT: port = '3000' } = readSettings();
  const asked = /^(|0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return fetch(`http://${asked}:${port}${path}`, { signal: AbortSignal.timeout(5000) }).catch(() => null);
}

function appStamp({ root }) {
  const settings = Object.entries(readSettings()).filter(([name]) => !name.startsWith('MAIL_') || name === 'MAIL_HOST');
  return stampOf(root, settings);
}

function mailStamp({ root }) {
  return stampOf(
    root,
    Object.entries(readSettings()).filter(([name]) => OF_AGENT.test(name)),
  );
}

/** The name of a release stands for its content. */
function stampOf(root, settings) {
  return fingerprint(root, [], { facts: [root, process.version, JSON.stringify(settings)] });
}
