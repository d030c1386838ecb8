import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';
import { npmPath, runTool } from './run-tool.mjs';

const OLDEST_NODE = /** @type {const} */ ([20, 19]);

export function checkNodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new PlainError(`Postroom needs Node.js ${OLDEST_NODE.join('.')} or later; this is ${process.versions.node}.`);
}

/** npm writes its copy of the lockfile last, so an interrupted installation has none or a different one. */
export function isInstalled(root) {
  const copy = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(copy)) return false;
  const { packages: installed } = JSON.parse(readFileSync(copy, 'utf8'));
  const { packages: wanted } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || (entry.optional && !installed[path])) return true;
    return installed[path]?.version === entry.version;
  });
}

export async function install(root) {
  const npm = npmPath();
  if (!npm) throw new PlainError('npm was not found next to this Node.js: run "npm ci" and try again.');
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const { exitCode, output } = await runTool(npm, args, { root });
  if (exitCode !== 0) throw new PlainError(`The packages could not be installed:\n${output.trim()}`);
}
