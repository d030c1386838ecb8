import { readSettings } from './settings.mjs';

type Settings = ReturnType<typeof readSettings>;
type Env = Settings & { databaseUrl: string };

let current: Env | undefined;

/** The validated environment. Read on first use, because `next build` loads modules without one. */
export function env(): Env {
  current ??= complete(readSettings(process.env));
  return current;
}

/** `npm start` fills in what has no default of its own; anything else that runs the app has to give it. */
function complete(settings: Settings): Env {
  const { databaseUrl, secretKeys } = settings;
  if (!databaseUrl) throw new Error('DATABASE_URL is not set: start with "npm start", or set it.');
  if (secretKeys.length === 0) throw new Error('SECRET_KEY is not set: start with "npm start", or set it.');
  return { ...settings, databaseUrl };
}
