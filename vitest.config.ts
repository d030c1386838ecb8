import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('src', import.meta.url)) } },
  test: {
    include: ['src/**/*.test.ts'],
    // They need a whole mail server: npm run test:mail.
    exclude: ['src/test/mail-stack/**'],
    globalSetup: 'src/test/global-setup.ts',
    env: { LOG_LEVEL: 'silent' },
    pool: 'forks',
    // Threads that a test's code starts load TypeScript too.
    execArgv: ['--import', new URL('scripts/process/load-typescript.mjs', import.meta.url).href],
    maxWorkers: 2,
    // A hang has to end; how long real work takes on a busy machine is no test's business.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
