// The requirements that an installation can't meet itself are all checked before anything is changed.
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFormerMailServer, formerMailServerProblems, isEximOfDebian } from '../mail/former-mail-server.mjs';
import { PORTS } from '../mail/settings.mjs';
import { succeeds } from './commands.mjs';
import { hasAccounts, isRoleOfAnother } from './database.mjs';
import { listeners } from './listeners.mjs';
import { findForeignCaddyfile } from './proxy.mjs';
import { APP_DATA, SETTINGS } from './settings.mjs';

const MB = 1_048_576;
/** The build takes 1.2 GB, beside Postgres and, at an upgrade, the mail server. A host that is sold with 2 GB has a little less. */
const MEMORY_MB = 1900;
export const DISK_MB = 4000;
/** Disk space that Debian's packages and npm's cache take outside of Postroom's folder, in MB. */
const ELSEWHERE = { '/usr': 1000, '/var': 800, '/root': 600 };
export const ADD_SWAP = 'fallocate -l 2G /swap && chmod 600 /swap && mkswap /swap && swapon /swap';
const OURS = /^(postroom(-mail-\w+)?|caddy)$/;
const HTTP_PORTS = [80, 443];
/** Programs of Debian that use these ports. */
const WEB_SERVERS = ['nginx', 'apache2', 'lighttpd', 'haproxy', 'varnish'];
/** Files that have the key of an installation, besides the settings. */
const KEYS = ['/etc/postroom/environment', join(APP_DATA, 'secret-key')];

/**
 * @typedef {{
 *   root: string, node: string, foreignFolder: string | null, hasSystemd: boolean, memoryMb: number, diskMb: number, isBuilt: boolean,
 *   otherDisks: { folder: string, freeMb: number, neededMb: number }[],
 *   listeners: import('./listeners.mjs').Listener[], ports: number[], proxy: string, foreignCaddyfile: string | null,
 *   idleWebServers: string[], isKeyLost: boolean, isRoleTaken: boolean,
 *   formerMailServer: import('../mail/former-mail-server.mjs').FormerMailServer,
 * }} Facts
 */

/** @returns {Facts} */
export function readFacts({ root, settings, options, isBuilt }) {
  const proxy = options.proxy ?? settings.REVERSE_PROXY ?? 'caddy';
  const ofMail = Object.entries(PORTS).map(([name, port]) => Number(settings[`MAIL_${name}`] ?? port));
  return {
    root,
    node: process.execPath,
    foreignFolder: foreignFolder([...withParents(root), join(root, 'releases')]),
    hasSystemd: existsSync('/run/systemd/system'),
    memoryMb: memoryMb(),
    diskMb: freeMb(root),
    otherDisks: options.isUpgrade ? [] : otherDisks(root),
    isBuilt,
    listeners: listeners().filter((each) => !isReplaced(each)),
    ports: [...ofMail, Number(settings.PORT ?? 3000), ...(proxy === 'caddy' ? HTTP_PORTS : [])],
    proxy,
    foreignCaddyfile: proxy === 'caddy' ? findForeignCaddyfile() : null,
    idleWebServers: proxy === 'caddy' ? idleWebServers() : [],
    isRoleTaken: isRoleOfAnother(settings.DATABASE_URL),
    isKeyLost: !settings.SECRET_KEY && !KEYS.some((file) => existsSync(file)) && hasAccounts(settings.DATABASE_URL),
    formerMailServer: findFormerMailServer(),
  };
}

/**
 * @param {Facts} facts
 * @returns {string[]} what keeps an installation from working, each with what to do
 */
export function problemsIn(facts) {
  const problems = [];
  if (!facts.hasSystemd)
    problems.push(
      "This host isn't run by systemd, which starts Postroom's services. In containers, see docs/installation.md#containers.",
    );
  if (/^\/(root|home|tmp|run)(\/|$)/.test(facts.root))
    problems.push(
      `Postroom is in ${facts.root}, where its service has no access. Move the folder to /opt/postroom, and run deploy/install there.`,
    );
  if (/^\/(root|home)\//.test(facts.node))
    problems.push(
      `Node.js is ${facts.node}, where Postroom's service has no access. Run this with a PATH without it, such as by sudo -i: then Node.js is installed in /usr/local.`,
    );
  if (facts.foreignFolder)
    problems.push(
      `Programs in ${facts.root} run as root, and another user can change the folder ${facts.foreignFolder}. Give it to root (chown -R root:root, chmod o-w), or move Postroom to /opt/postroom.`,
    );
  if (!facts.isBuilt && facts.memoryMb < MEMORY_MB)
    problems.push(
      `The build needs 2 GB of memory, and this host has ${Math.round(facts.memoryMb)} MB with swap. Add swap: ${ADD_SWAP}`,
    );
  if (!facts.isBuilt && facts.diskMb < DISK_MB)
    problems.push(
      `The installation needs ${DISK_MB / 1000} GB on the disk of ${facts.root}, and ${Math.round(facts.diskMb)} MB are free.`,
    );
  for (const { folder, freeMb, neededMb } of facts.isBuilt ? [] : facts.otherDisks)
    if (freeMb < neededMb)
      problems.push(
        `The installation needs ${neededMb} MB on the disk of ${folder}, and ${Math.round(freeMb)} MB are free.`,
      );
  if (facts.isKeyLost)
    problems.push(
      `The database has accounts of Postroom, and ${SETTINGS} has no SECRET_KEY, without which the secrets in it can't be read. Restore that file from a backup. To start over instead, drop the database and its role: sudo -u postgres dropdb postroom; sudo -u postgres dropuser postroom`,
    );
  if (facts.isRoleTaken)
    problems.push(
      `Another program uses the role of Postgres on this host that Postroom would have. If none does, drop it: sudo -u postgres dropuser postroom. Otherwise name another one in DATABASE_URL in ${SETTINGS}.`,
    );
  problems.push(...formerMailServerProblems(facts.formerMailServer));
  const { services } = facts.formerMailServer;
  for (const port of facts.ports) {
    const taken = facts.listeners.find(
      (each) => each.port === port && !OURS.test(each.unit) && !services.includes(each.unit.replace(/@.*/, '')),
    );
    if (taken) problems.push(describePort(taken));
  }
  for (const name of facts.idleWebServers)
    problems.push(
      `${name} starts when this host does, and then takes the ports of Caddy. Keep it from that: systemctl disable ${name}. Or use it as your reverse proxy: --proxy none (docs/installation.md)`,
    );
  if (facts.foreignCaddyfile) problems.push(facts.foreignCaddyfile);
  return problems;
}

/**
 * Returns the first folder that belongs to another user than root, or in which everybody can replace what is there.
 * @param {string[]} folders
 * @param {(folder: string) => { uid: number, mode: number } | undefined} stat undefined for a folder that doesn't exist
 */
export function foreignFolder(folders, stat = (folder) => statSync(folder, { throwIfNoEntry: false })) {
  const isForeign = ({ uid, mode }) => uid !== 0 || ((mode & 0o002) !== 0 && (mode & 0o1000) === 0);
  return (
    folders.find((folder) => {
      const stats = stat(folder);
      return stats !== undefined && isForeign(stats);
    }) ?? null
  );
}

function withParents(folder) {
  return folder === dirname(folder) ? [folder] : [...withParents(dirname(folder)), folder];
}

/** Debian's default mail server is removed when Postfix is installed. */
export function isReplaced({ unit, isLoopback }, configuration) {
  return /^exim4/.test(unit) && isLoopback && isEximOfDebian(configuration);
}

/** Finds only what is stopped: a program that runs is found by its ports. */
function idleWebServers() {
  const is = (state, name) => succeeds('systemctl', [`is-${state}`, '--quiet', name]);
  return WEB_SERVERS.filter((name) => is('enabled', name) && !is('active', name));
}

function describePort({ port, program, unit }) {
  if (program === 'docker-proxy')
    return `Port ${port} is in use by a container. Stop it: docker ps --filter publish=${port}`;
  const owner = program ? `${program}${unit ? ` (${unit}.service)` : ''}` : 'another program';
  const stop = unit ? `: systemctl disable --now ${unit}` : '';
  if (!HTTP_PORTS.includes(port)) return `Port ${port} is in use by ${owner}. Stop that program${stop}`;
  return `Port ${port} is in use by ${owner}. Stop that program${stop}, or keep it as your reverse proxy: --proxy none (docs/installation.md)`;
}

/** The file systems that the installation fills besides that of Postroom's folder. */
function otherDisks(root) {
  const disks = new Map();
  for (const [folder, neededMb] of Object.entries(ELSEWHERE)) {
    const { dev } = statSync(folder);
    const disk = disks.get(dev) ?? { folder, freeMb: freeMb(folder), neededMb: 0 };
    disk.neededMb += neededMb;
    disks.set(dev, disk);
  }
  disks.delete(statSync(root).dev);
  return [...disks.values()];
}

function freeMb(folder) {
  const { bavail, bsize } = statfsSync(folder);
  return (bavail * bsize) / MB;
}

function memoryMb() {
  const text = readFileSync('/proc/meminfo', 'utf8');
  const kb = (name) => Number(new RegExp(`^${name}: *(\\d+)`, 'm').exec(text)?.[1] ?? 0);
  return (kb('MemTotal') + kb('SwapTotal')) / 1024;
}
