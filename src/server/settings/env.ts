import { processWide } from '../process-wide';
import { readSettings } from './settings.mjs';

type Settings = ReturnType<typeof readSettings>;
type Env = Settings & { databaseUrl: string };

const current = processWide<Env>('settings');

/**
 * The settings that are in effect: those of the environment, then those saved in the console, then the defaults. Read them
 * on each use, because saved settings change while the process runs. Read on first use because `next build` loads modules
 * without an environment.
 */
export function env(): Env {
  current.current ??= complete(readSettings(process.env));
  return current.current;
}

/** Replaces the saved settings of this process. @param saved texts by name, as in the environment, and valid each */
export function applySaved(saved: Record<string, string>): void {
  const given = Object.entries(process.env).filter(([, text]) => text);
  current.current = complete(readSettings({ ...saved, ...Object.fromEntries(given) }));
}

/** `npm start` provides the settings without a default; anything else that runs the app must set them. */
function complete(settings: Settings): Env {
  const { databaseUrl, secretKeys } = settings;
  if (!databaseUrl) throw new Error('DATABASE_URL is not set: start with "npm start", or set it.');
  if (secretKeys.length === 0) throw new Error('SECRET_KEY is not set: start with "npm start", or set it.');
  return { ...settings, databaseUrl };
}
