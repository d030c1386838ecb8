import { defineConfig } from '@playwright/test';
import { CHROMIUM_FLAGS } from '../scripts/testing/browser.mjs';

// A page of a test ends before optimised code could save what the compilers take: a fifth of the pages' time.
const FLAGS = [...CHROMIUM_FLAGS, '--js-flags=--no-opt --no-maglev'];

export default defineConfig({
  testDir: '.',
  globalSetup: './support/server.ts',
  outputDir: '../test-results',
  workers: 3,
  retries: 0,
  forbidOnly: true,
  fullyParallel: true,
  // A hang ends; the longest scenario on a busy machine doesn't.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { executablePath: process.env.CHROMIUM_PATH || undefined, args: FLAGS },
  },
  projects: [
    { name: 'newcomer', testMatch: '**/newcomer.spec.ts' },
    { name: 'console', testIgnore: '**/newcomer.spec.ts', dependencies: ['newcomer'] },
  ],
});
