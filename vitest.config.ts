import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { '@': fileURLToPath(new URL('src', import.meta.url)) } },
  test: {
    include: ['src/**/*.test.ts'],
    // These need a real mail server: npm run test:mail.
    exclude: ['src/test/mail-stack/**'],
    globalSetup: 'src/test/global-setup.ts',
    // Nobody answers at the DNS server; tests that need one start their own.
    env: { LOG_LEVEL: 'silent', DNS_SERVERS: '127.0.0.1:9' },
    pool: 'forks',
    // Worker threads that tests start load TypeScript too.
    execArgv: ['--import', new URL('scripts/process/load-typescript-in-threads.mjs', import.meta.url).href],
    maxWorkers: 2,
    // Generous, so that a busy machine fails no test; a hang still ends.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
