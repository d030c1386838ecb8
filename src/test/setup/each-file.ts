import { afterAll, expect, vi } from 'vitest';
import { processWide } from '@/server/process-wide';

// Runs before each test file of a process that runs several. What a file changes in the environment, and what it spies on,
// lasts until its end. What else it leaves behind would reach the next file, so it fails.

const environment = processWide<NodeJS.ProcessEnv>('environment of the tests');
environment.current ??= { ...process.env };
for (const name of Object.keys(process.env)) if (!(name in environment.current)) delete process.env[name];
Object.assign(process.env, environment.current);
vi.restoreAllMocks();

// The next file would load the app, and its database, once more.
vi.resetModules = () => {
  throw new Error('resetModules is for *.alone.test.ts.');
};

const before = leftovers();

afterAll(() =>
  // Servers and processes take a moment to end.
  vi.waitFor(() => expect(leftovers(), 'left after the test file').toEqual(before), { timeout: 60_000, interval: 20 }),
);

function leftovers() {
  const resources = process.getActiveResourcesInfo();
  return {
    servers: resources.filter((name) => name === 'TCPServerWrap').length,
    processes: resources.filter((name) => name === 'ProcessWrap').length,
    hasFakeTimers: vi.isFakeTimers(),
    folder: process.cwd(),
  };
}
