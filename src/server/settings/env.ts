import { processWide } from '../process-wide';
import { readSettings } from './settings.mjs';

type Settings = ReturnType<typeof readSettings>;
type Env = Settings & { databaseUrl: string };
type Saved = Readonly<Record<string, string>>;

const saved = processWide<Saved>('saved settings');
let current: { of: Saved | undefined; env: Env } | undefined;

/**
 * The settings that are in effect: those of the environment, then those saved in the console, then the defaults. Read them
 * on each use, because saved settings change while the process runs. Read on first use because `next build` loads modules
 * without an environment.
 */
export function env(): Env {
  if (current?.of !== saved.current || !current) {
    const given = Object.entries(process.env).filter(([, text]) => text);
    const settings = readSettings({ ...saved.current, ...Object.fromEntries(given) });
    current = { of: saved.current, env: complete(settings) };
  }
  return current.env;
}

/** Replaces the saved settings of this process. @param texts by name, as in the environment, and each valid */
export function applySaved(texts: Saved): void {
  if (JSON.stringify(texts) !== JSON.stringify(saved.current)) saved.current = texts;
}

/** `npm start` provides the settings without a default; anything else that runs the app must set them. */
function complete(settings: Settings): Env {
  const { databaseUrl, secretKeys } = settings;
  if (!databaseUrl) throw new Error('DATABASE_URL is not set: start with "npm start", or set it.');
  if (secretKeys.length === 0) throw new Error('SECRET_KEY is not set: start with "npm start", or set it.');
  return { ...settings, databaseUrl };
}
