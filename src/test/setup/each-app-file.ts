import { afterAll } from 'vitest';

// Runs before each test file that uses the app: it has no state from the files before, except its connections to the database,
// what was prepared on them, and the names of its metrics.

const KEPT = new Set([
  'database',
  'read database',
  'read pool',
  'connection pools',
  'statements seen once',
  'prepared statements',
  'metrics',
  'environment of the tests',
]);

type Holder = { current: unknown };

afterAll(async () => {
  const holders = (globalThis as Record<symbol, Map<string, Holder> | undefined>)[Symbol.for('postroom')] ?? new Map();
  for (const [name, holder] of holders as Map<string, Holder>) {
    if (KEPT.has(name)) continue;
    const value = (await Promise.resolve(holder.current).catch(() => null)) as { close?: () => Promise<void> } | null;
    await value?.close?.();
    holder.current = undefined;
  }
});
