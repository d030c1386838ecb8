import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';
import { npmPath, runTool } from './run-tool.mjs';
import { step } from './step.mjs';

const OLDEST_NODE = /** @type {const} */ ([20, 19]);

export function checkNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new PlainError(`Postroom needs Node.js ${OLDEST_NODE.join('.')} or later; this is ${process.versions.node}.`);
}

/**
 * Installs the packages that are missing. Development packages that are there stay.
 * @param {string} root
 * @param {{ withDev?: boolean }} options `withDev`: also what only tests and checks need
 */
export async function installMissing(root, { withDev = false } = {}) {
  if (isInstalled(root, { withDev })) return;
  await step('Installing the packages', () => install(root, { withDev: withDev || hasDevPackages(root) }));
}

/** npm writes its copy of the lockfile last, so an interrupted installation has none or a different one. */
export function isInstalled(root, { withDev = false } = {}) {
  const installed = installedPackages(root);
  if (!installed) return false;
  return Object.entries(wantedPackages(root)).every(([path, entry]) => {
    if (path === '' || (entry.dev && !withDev) || (entry.optional && !installed[path])) return true;
    return installed[path]?.version === entry.version;
  });
}

/** Tells whether the packages of one folder are those of the other, too. */
export function isSameInstallation(one, other) {
  const [packages, others] = [one, other].map((root) => {
    // The first one is Postroom itself, whose version changes.
    const { '': _, ...rest } = wantedPackages(root);
    return JSON.stringify(rest);
  });
  return packages === others;
}

async function install(root, { withDev }) {
  const npm = npmPath();
  if (!npm) throw new PlainError('npm was not found next to this Node.js: run "npm ci" and try again.');
  // "npm ci" deletes what is there first, which a running server would miss.
  const command = isInstalled(root) ? ['install', '--no-save'] : ['ci'];
  const args = [...command, withDev ? '--include=dev' : '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { exitCode, output } = await runTool(npm, args, { root });
  if (exitCode !== 0) throw new PlainError(`The packages could not be installed:\n${output.trim()}`);
}

function hasDevPackages(root) {
  return Object.values(installedPackages(root) ?? {}).some(({ dev }) => dev);
}

function wantedPackages(root) {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
}

function installedPackages(root) {
  const copy = join(root, 'node_modules', '.package-lock.json');
  return existsSync(copy) ? JSON.parse(readFileSync(copy, 'utf8')).packages : undefined;
}
