// Folders with a Debian of any release, made by debootstrap once for each machine. Needs root on Debian.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';
import { INSTALL, installFromDebian } from './debian.mjs';

const CACHE = '/var/cache/postroom-tests';
const PACKAGES = ['ca-certificates', 'dbus', 'git', 'libstdc++6', 'sudo', 'systemd', 'systemd-sysv'];
const SOURCES = '/etc/apt/sources.list.d';
// How this machine reaches Debian's packages and the npm registry.
const OF_THIS_MACHINE = [
  '/etc/apt/apt.conf.d',
  '/etc/apt/auth.conf.d',
  SOURCES,
  '/etc/hosts',
  '/etc/npmrc',
  '/etc/resolv.conf',
  '/etc/ssl/certs',
  '/usr/local/share/ca-certificates',
];

/** Fills the folder with a bare Debian, in about a second; the first time takes a minute. */
export function copyBareDebian(release, root) {
  const cached = cachedRoot(release, (folder) => {
    run('debootstrap', ['--variant=minbase', `--include=${PACKAGES.join(',')}`, release, folder]);
    rmSync(join(folder, 'etc/apt/sources.list'), { force: true });
  });
  run('cp', ['-a', `${cached}/.`, root]);
  for (const path of OF_THIS_MACHINE.filter((each) => existsSync(each))) copyInto(root, path, path);
  copyInto(root, join(homedir(), '.npmrc'), '/root/.npmrc');
  setRelease(root, release);
  // Nobody answers questions.
  writeFileSync(join(root, 'etc/apt/apt.conf.d/99yes'), 'APT::Get::Assume-Yes "true";\n');
}

/** @returns {string} a folder with a Debian that has these packages, which callers must not change */
export function debianWith(release, packages) {
  const hash = createHash('sha256').update(packages.join('\n')).digest('hex').slice(0, 8);
  return cachedRoot(`${release}-${hash}`, (folder) => {
    copyBareDebian(release, folder);
    run('unshare', ['--mount', 'sh', '-euc', INSTALL_IN_ROOT, folder, dirname(INSTALL), ...packages]);
  });
}

const INSTALL_IN_ROOT = `mount --rbind /dev "$0/dev"; mount -t proc proc "$0/proc"; mount --bind "$1" "$0/mnt"; shift
  exec chroot "$0" /mnt/install-packages "$@"`;

/** Makes apt in the folder ask for packages of that release, from where this machine gets its own. Other sources are removed. */
function setRelease(root, release) {
  const [, former] = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  const suite = new RegExp(`(?<![\\w-])${former}\\b`, 'g');
  for (const name of readdirSync(join(root, SOURCES))) {
    const file = join(root, SOURCES, name);
    const text = readFileSync(file, 'utf8');
    if (suite.test(text)) writeFileSync(file, text.replaceAll(suite, release));
    else rmSync(file);
  }
}

function cachedRoot(name, make) {
  const root = join(CACHE, name);
  if (existsSync(root)) return root;
  if (spawnSync('debootstrap', ['--version']).error || spawnSync('systemd-nspawn', ['--version']).error)
    installFromDebian('debootstrap', 'systemd-container');
  const unfinished = `${root}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  make(unfinished);
  renameSync(unfinished, root);
  return root;
}

function copyInto(root, from, to) {
  if (!existsSync(from)) return;
  rmSync(join(root, to), { recursive: true, force: true });
  mkdirSync(dirname(join(root, to)), { recursive: true });
  cpSync(from, join(root, to), { recursive: true, dereference: true });
}

export function run(command, args) {
  const { status, stderr, stdout } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0)
    throw new PlainError(`${command} failed: ${(stderr || stdout || '').trim().split('\n').slice(-5).join('\n')}`);
}
