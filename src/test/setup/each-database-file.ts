import { afterAll } from 'vitest';
import { renewDatabase, settings } from '../database';
import { setSettings } from '../settings';

// Runs before each test file that uses the database: the database is as after the migrations, and the app has no state, except
// its connections to the database, what was prepared on them, and the names of its metrics.

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

await renewDatabase();
setSettings(settings);

afterAll(async () => {
  const holders = (globalThis as Record<symbol, Map<string, Holder> | undefined>)[Symbol.for('postroom')] ?? new Map();
  for (const [name, holder] of holders as Map<string, Holder>) {
    if (KEPT.has(name)) continue;
    const value = (await Promise.resolve(holder.current).catch(() => null)) as { close?: () => Promise<void> } | null;
    await value?.close?.();
    holder.current = undefined;
  }
});
