import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** The oldest supported release line and the recommended one. */
const TESTED_VERSIONS = ['20.20.2', '24.21.0'];

/** The tested versions of Node.js whose release line isn't the one that runs now. */
export function otherNodeVersions() {
  const current = process.versions.node.split('.')[0];
  return TESTED_VERSIONS.filter((version) => version.split('.')[0] !== current);
}

/**
 * Installs a Node.js binary from the npm registry.
 * @returns {string} the folder to put first in PATH
 */
export function installNode(version, folder) {
  mkdirSync(folder, { recursive: true });
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${name}@${version}`];
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${stderr}`);
  return realpathSync(join(folder, 'node_modules', name, 'bin'));
}
