import { listen } from '../background/notifications';
import { repeat } from '../background/repeat';
import type { Tx } from '../database/db';
import { log } from '../log';
import { SETTINGS } from './declarations.mjs';
import { applySaved } from './env';
import { readSetting, type SettingName } from './settings.mjs';

export const SETTINGS_CHANNEL = 'saved_settings';

const POLL_INTERVAL_MS = 1_000;

/** Puts the saved settings into effect in this process. One that is no longer valid is left out. */
export async function applySavedSettings(db: Tx): Promise<void> {
  const rows = await db.savedSetting.findMany({ select: { key: true, value: true }, orderBy: { key: 'asc' } });
  applySaved(Object.fromEntries(rows.filter(isUsable).map(({ key, value }) => [key, value])));
}

/** Follows the saved settings, so that a change is in effect within two seconds. @returns a function that stops it */
export function followSavedSettings(db: Tx): () => void {
  const task = repeat('reading saved settings', POLL_INTERVAL_MS, () => applySavedSettings(db));
  const endListening = listen(SETTINGS_CHANNEL, task.runNow);
  return () => {
    void endListening();
    void task.end();
  };
}

const reported = new Set<string>();

/** Whether a saved setting is one that this version knows and accepts. */
function isUsable({ key, value }: { key: string; value: string }): boolean {
  const entry = isSettingName(key) ? SETTINGS[key] : undefined;
  const read = entry?.isMutable ? readSetting(key as SettingName, value) : { problem: 'It cannot be saved.' };
  if ('value' in read) return true;
  const line = `${key}=${value}`;
  if (!reported.has(line)) log.error({ key, problem: read.problem }, 'a saved setting is not valid, using its default');
  reported.add(line);
  return false;
}

export function isSettingName(key: string): key is SettingName {
  return Object.hasOwn(SETTINGS, key);
}
