import { readSettings } from './settings.mjs';

type Settings = ReturnType<typeof readSettings>;
type Env = Settings & { databaseUrl: string };

let current: Env | undefined;

/** The validated environment, read on first use because `next build` loads modules without one. */
export function env(): Env {
  current ??= complete(readSettings(process.env));
  return current;
}

/** `npm start` provides the settings without a default; anything else that runs the app must set them. */
function complete(settings: Settings): Env {
  const { databaseUrl, secretKeys } = settings;
  if (!databaseUrl) throw new Error('DATABASE_URL is not set: start with "npm start", or set it.');
  if (secretKeys.length === 0) throw new Error('SECRET_KEY is not set: start with "npm start", or set it.');
  return { ...settings, databaseUrl };
}
