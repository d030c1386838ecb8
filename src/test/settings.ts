import { processWide } from '@/server/process-wide';

/** Sets settings, by their names in the environment, until the end of the test file. */
export function setSettings(texts: Record<string, string>): void {
  Object.assign(process.env, texts);
  readSettingsAgain();
}

/** Removes settings from the environment, until the end of the test file. */
export function unsetSettings(...names: string[]): void {
  for (const name of names) delete process.env[name];
  readSettingsAgain();
}

/** The app reads the environment again once the saved settings are another object. */
function readSettingsAgain(): void {
  const saved = processWide<Readonly<Record<string, string>>>('saved settings');
  saved.current = { ...saved.current };
}
