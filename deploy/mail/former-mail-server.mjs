// A mail server that this host had before, which nothing may replace silently: its queue would wait forever, and its services would end.
// As a program, it prints what is wrong, for deploy/mail/install.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Postroom's services take the place of these, which the installer disables. */
const SERVICES = ['postfix', 'dovecot', 'rspamd'];
const OUR_UNIT = '/etc/systemd/system/postroom-mail-postfix.service';
const EXIM_CONFIGURATION = '/etc/exim4/update-exim4.conf.conf';
const QUEUES = [
  {
    program: 'Postfix',
    folders: ['maildrop', 'incoming', 'active', 'deferred', 'hold'].map((name) => `/var/spool/postfix/${name}`),
    message: /^[0-9A-Za-z]+$/,
    commands: { list: 'postqueue -p', deliver: 'postqueue -f, while Postfix runs', remove: 'postsuper -d ALL' },
  },
  {
    program: 'Exim',
    folders: ['/var/spool/exim4/input'],
    message: /-H$/,
    commands: { list: 'exim4 -bp', deliver: 'exim4 -qff', remove: 'exiqgrep -i | xargs exim4 -Mrm' },
  },
  {
    program: 'Sendmail',
    folders: ['/var/spool/mqueue', '/var/spool/mqueue-client'],
    message: /^qf/,
    commands: { list: 'mailq', deliver: 'sendmail -q', remove: 'rm /var/spool/mqueue*/[dq]f*' },
  },
];

/**
 * @typedef {{ queues: { program: string, count: number }[], services: string[], packages: string[] }} FormerMailServer `packages`: those
 *   that Debian removes when it installs Postfix
 * @returns {FormerMailServer} nothing once Postroom's mail server is installed
 */
export function findFormerMailServer() {
  if (existsSync(OUR_UNIT)) return { queues: [], services: [], packages: [] };
  return {
    queues: countMessages(),
    services: SERVICES.filter(isActive),
    packages: replacedPackages(),
  };
}

/** @param {FormerMailServer} found @returns {string[]} what keeps an installation from starting, each with what to do */
export function formerMailServerProblems({ queues, services, packages }) {
  return [
    ...queues.map(({ program, count }) => {
      const { list, deliver, remove } = QUEUES.find((each) => each.program === program)?.commands ?? {};
      const waiting = count === 1 ? '1 message waits' : `${count} messages wait`;
      return `${waiting} in the queue of this host's ${program}, which Postroom never delivers. See them with ${list}, then deliver them (${deliver}) or delete them (${remove}).`;
    }),
    ...services.map(
      (name) =>
        `${name} runs on this host, and Postroom has a ${name} of its own. Stop it: systemctl disable --now ${name}. Its mail and settings stay, and Postroom doesn't use them.`,
    ),
    ...packages.map(
      (name) =>
        `Debian replaces ${name}, by which programs of this host send mail, by Postfix, which Postroom doesn't let them use. Remove it if that's fine: apt remove ${name}`,
    ),
  ];
}

/** @param {string} root a folder with the file system of the host */
export function countMessages(root = '/') {
  return QUEUES.map(({ program, folders, message }) => ({
    program,
    count: folders.map((folder) => messagesIn(join(root, folder), message)).reduce((one, other) => one + other),
  })).filter(({ count }) => count > 0);
}

function messagesIn(folder, name) {
  if (!existsSync(folder)) return 0;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && name.test(entry.name)).length;
}

/** @returns {boolean} whether Exim is as Debian installs it, which delivers mail of this host only, and on this host */
export function isEximOfDebian(configuration = EXIM_CONFIGURATION) {
  return existsSync(configuration) && /^dc_eximconfig_configtype='local'$/m.test(readFileSync(configuration, 'utf8'));
}

function isActive(name) {
  return output('systemctl', ['show', '--property=ActiveState', '--value', name]).trim() === 'active';
}

function replacedPackages() {
  const format = `\${db:Status-Status} \${Package} \${Provides}\n`;
  return transportAgents(output('dpkg-query', ['-W', '-f', format])).filter(
    (name) => !name.startsWith('exim4') || !isEximOfDebian(),
  );
}

/** @returns {string} nothing if the program isn't there, as systemctl in containers */
function output(command, args) {
  return spawnSync(command, args, { encoding: 'utf8' }).stdout ?? '';
}

/** @param {string} packages lines with the state, name and provided names of a package @returns {string[]} other mail servers than Postfix */
export function transportAgents(packages) {
  const found = [...packages.matchAll(/^installed (\S+) .*\bmail-transport-agent\b/gm)].map(([, name = '']) => name);
  return found.filter((name) => name !== 'postfix');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = formerMailServerProblems(findFormerMailServer());
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
