import type { App } from './start';

let starting: Promise<App> | undefined;

/** Starts the app once in this process. The HTTP server (scripts/serve.mjs) calls it. */
export async function startApp(): Promise<App | undefined> {
  // Next.js builds this file for its Edge runtime too. Only this form leaves the import out there.
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    starting ??= import('./start').then(({ start }) => start());
  }
  return starting;
}

/** Next.js calls this before it serves its first page. */
export async function register(): Promise<void> {
  await startApp();
}
