import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { bundledThreads } from '../../../scripts/testing/bundled-threads.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export default defineConfig({
  root,
  plugins: [bundledThreads(root)],
  resolve: {
    alias: [
      // The REST client and the factories use the mail server's database instead of one per test file.
      { find: /^\.\/database$/, replacement: fileURLToPath(new URL('support/mail-server.ts', import.meta.url)) },
      { find: '@', replacement: fileURLToPath(new URL('../..', import.meta.url)) },
    ],
  },
  test: {
    include: ['src/test/mail-stack/**/*.mail.test.ts'],
    env: { LOG_LEVEL: 'silent' },
    pool: 'forks',
    // One process runs all files, so that the app is loaded once.
    isolate: false,
    setupFiles: ['src/test/setup/each-file.ts', 'src/test/setup/each-app-file.ts'],
    // All tests share one mail server, and some stop its services.
    fileParallelism: false,
    // A test that hangs fails; one on a busy machine doesn't.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A mail server that hangs fails every test after as long: this many are enough to know.
    bail: 10,
    // Each look asks the API or a service, which costs more than a moment of waiting. On a busy machine, the agent takes a minute to start.
    expect: { poll: { timeout: 150_000, interval: 200 } },
  },
});
