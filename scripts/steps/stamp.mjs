// Stamps record the inputs of a result, so that unchanged inputs are not processed again.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} root
 * @param {string[]} inputs files and folders
 * @param {{ isInput?: (path: string) => boolean, facts?: string[] }} options
 */
export function fingerprint(root, inputs, { isInput = () => true, facts = [] } = {}) {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  for (const path of inputs.flatMap((input) => filesBelow(root, input)).filter(isInput)) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

export function readStamp(root, name) {
  try {
    return readFileSync(stampPath(root, name), 'utf8');
  } catch {
    return undefined;
  }
}

export function writeStamp(root, name, content) {
  mkdirSync(join(stampPath(root, name), '..'), { recursive: true });
  // Another process never reads half of it.
  const written = `${stampPath(root, name)}.${process.pid}`;
  writeFileSync(written, content);
  renameSync(written, stampPath(root, name));
}

export function removeStamp(root, name) {
  rmSync(stampPath(root, name), { force: true });
}

function stampPath(root, name) {
  return join(root, 'node_modules', '.cache', 'postroom', name);
}

function filesBelow(root, path) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stats) return [];
  if (!stats.isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .flatMap((name) => filesBelow(root, `${path}/${name}`));
}
