import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { db } from './database';

/**
 * Runs a statement in a transaction on a connection of its own, which keeps its locks.
 * @returns a function that commits. Without it, the transaction ends with the test.
 */
export async function holdLocksOf(statement: string, values: unknown[] = []): Promise<() => Promise<void>> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  await client.query(statement, values);
  return async () => void (await client.query('COMMIT'));
}

/** Waits until at least so many statements in the database wait for locks. */
export async function untilBlocked(count = 1): Promise<void> {
  const blocked = () => db.$queryRaw<unknown[]>`
    SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(async () => (await blocked()).length).toBeGreaterThanOrEqual(count);
}
