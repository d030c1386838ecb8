import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { bundledThreads } from './scripts/testing/bundled-threads.mjs';

// The name of a test file says how it runs. Files of the first two kinds share processes, so that the app is loaded once and not
// for each file: src/test/setup puts everything back between them.
const PURE = 'src/**/*.pure.test.ts';
const ALONE = 'src/**/*.alone.test.ts';
// Many rows: npm test -- growth.
const GROWTH = 'src/test/growth/**/*.test.ts';
// Other programs' mail: npm run test:corpora.
const CORPORA = 'src/test/corpora/*.test.ts';
// These need a real mail server: npm run test:mail.
const MAIL_STACK = 'src/test/mail-stack/**';

const shared = {
  // Nobody answers at the DNS server; tests that need one start their own.
  env: { LOG_LEVEL: 'silent', DNS_SERVERS: '127.0.0.1:9' },
  // One more than the processors of most machines, because some tests wait.
  maxWorkers: 3,
  // Generous, so that a busy machine fails no test; a hang still ends.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
};

const alias = { '@': fileURLToPath(new URL('src', import.meta.url)) };
const plugins = [bundledThreads(fileURLToPath(new URL('.', import.meta.url)))];

export default defineConfig({
  test: {
    globalSetup: 'src/test/setup/run.ts',
    projects: [
      {
        plugins,
        resolve: { alias },
        test: {
          ...shared,
          name: 'pure',
          include: [PURE],
          pool: 'threads',
          isolate: false,
          setupFiles: ['src/test/setup/each-file.ts'],
        },
      },
      {
        plugins,
        resolve: { alias },
        test: {
          ...shared,
          name: 'database',
          include: ['src/**/*.test.ts'],
          exclude: [PURE, ALONE, GROWTH, CORPORA, MAIL_STACK],
          pool: 'forks',
          isolate: false,
          setupFiles: ['each-file', 'each-app-file', 'each-database-file'].map((name) => `src/test/setup/${name}.ts`),
        },
      },
      {
        plugins,
        resolve: { alias },
        test: {
          ...shared,
          name: 'alone',
          include: [ALONE],
          exclude: [MAIL_STACK],
          pool: 'forks',
        },
      },
      {
        plugins,
        resolve: { alias },
        test: { ...shared, name: 'growth', include: [GROWTH], pool: 'forks', sequence: { groupOrder: 1 } },
      },
      {
        plugins,
        resolve: { alias },
        test: { ...shared, name: 'corpora', include: [CORPORA], pool: 'forks', sequence: { groupOrder: 2 } },
      },
    ],
  },
});
