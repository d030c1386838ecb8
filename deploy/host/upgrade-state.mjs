// The state of an upgrade, in a file of the host, so that a run after one that was killed knows it, in any clone.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { replaceFile } from './files.mjs';
import { runningFolder } from './releases.mjs';

/** Only root can write there: programs below `from` run as root. The values of settings in it are secret. */
const STATE = '/etc/postroom/upgrade.json';

/**
 * @typedef {Record<string, { before: string | null, after: string | null }>} ChangedSettings null: the setting isn't there
 * @typedef {{ from: string, dump?: string, settings?: ChangedSettings, isLost?: boolean }} UpgradeState `from`: the folder of the release
 *   that ran before; `dump`: the copy of the database from before; `settings`: those that the upgrade changed; `isLost`: the file
 *   couldn't be read, so the rest is unknown
 */

/**
 * Returns the state of an upgrade that was killed or couldn't go back; null if there is none.
 * @param {{ file?: string, running?: () => string | null }} options
 * @returns {UpgradeState | null}
 */
export function readUpgradeState({ file = STATE, running = runningFolder } = {}) {
  if (!existsSync(file)) return null;
  try {
    const state = JSON.parse(readFileSync(file, 'utf8'));
    if (existsSync(state?.from)) return state;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { from: running() ?? '', isLost: true };
}

/** @param {UpgradeState} state */
export function writeUpgradeState(state, file = STATE) {
  replaceFile(file, JSON.stringify(state), { mode: 0o600 });
}

export function endUpgradeState(file = STATE) {
  rmSync(file, { force: true });
}

/**
 * Adds changes that a run is about to make to those of an interrupted run before it.
 * @param {Record<string, string>} given
 * @param {Record<string, string | null>} changes
 * @param {ChangedSettings} earlier
 * @returns {ChangedSettings}
 */
export function addChanges(given, changes, earlier = {}) {
  const added = Object.entries(changes).map(([name, after]) => [
    name,
    { before: earlier[name] ? earlier[name].before : (given[name] ?? null), after },
  ]);
  return { ...earlier, ...Object.fromEntries(added) };
}

/**
 * Returns the changes that take an upgrade's settings back. A setting that somebody changed meanwhile stays.
 * @param {Record<string, string>} given
 * @param {ChangedSettings} changed
 * @returns {Record<string, string | null>}
 */
export function changesBack(given, changed = {}) {
  const ours = Object.entries(changed).filter(([name, { after }]) => (given[name] ?? null) === after);
  return Object.fromEntries(ours.map(([name, { before }]) => [name, before]));
}
