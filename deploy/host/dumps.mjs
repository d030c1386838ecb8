// Copies of the database, which upgrades make.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dump } from './database.mjs';

export const DUMPS = '/var/backups/postroom';
const KEPT = 3;
/** The end of the name of a copy that isn't whole yet, or never will be. */
const PART = '.part';

/**
 * Writes a copy of the database, and removes all but the last ones.
 * @param {string} url
 * @param {string} version what runs on the database
 * @param {{ folder?: string, now?: Date }} options
 * @returns {string} the file
 * @throws PlainError if there is no whole copy; nothing of it stays then
 */
export function writeDump(url, version, { folder = DUMPS, now = new Date() } = {}) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) if (name.endsWith(PART)) rmSync(join(folder, name));
  const file = join(folder, `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z-${version}.dump`);
  dump(url, file, `${file}${PART}`);
  const whole = readdirSync(folder).filter((name) => name.endsWith('.dump'));
  for (const name of whole.toSorted().slice(0, -KEPT)) rmSync(join(folder, name));
  return file;
}

/** @param {import('./upgrade-state.mjs').UpgradeState} state */
export function describeDump({ dump, isLost }) {
  if (!dump) return 'There is no copy of the database.';
  return isLost
    ? `A copy of the database, from after an interrupted upgrade: ${dump}`
    : `The copy of the database from before: ${dump}`;
}
