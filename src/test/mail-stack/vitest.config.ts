import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  resolve: {
    alias: [
      // The REST client and the factories work in the mail server's database, not in one of each file.
      { find: /^\.\/database$/, replacement: fileURLToPath(new URL('support/mail-server.ts', import.meta.url)) },
      { find: '@', replacement: fileURLToPath(new URL('../..', import.meta.url)) },
    ],
  },
  test: {
    include: ['src/test/mail-stack/*.mail.test.ts'],
    env: { LOG_LEVEL: 'silent' },
    pool: 'forks',
    // Threads that a test's code starts load TypeScript too.
    execArgv: ['--import', new URL('../../../scripts/process/load-typescript.mjs', import.meta.url).href],
    // One mail server, and tests that stop a part of it.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
