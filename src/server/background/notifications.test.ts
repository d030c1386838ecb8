import { expect, it, onTestFinished, vi } from 'vitest';
import { db } from '@/test/database';
import { unique } from '@/test/factories';
import { listen } from './notifications';

// It reconnects after two seconds.
const SOON = { timeout: 15_000 };

async function listeners(channel: string): Promise<number[]> {
  const rows = await db.$queryRaw<{ pid: number }[]>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = ${`LISTEN "${channel}"`}`;
  return rows.map(({ pid }) => pid);
}

function startListening() {
  const channel = unique();
  const told = vi.fn();
  const end = listen(channel, told);
  onTestFinished(end);
  const notify = () => db.$executeRaw`SELECT pg_notify(${channel}, '')`;
  const times = () => told.mock.calls.length;
  return { channel, end, notify, times };
}

it('a notification calls back, and so does each connection, for what was told meanwhile', async () => {
  const { notify, times } = startListening();
  await expect.poll(times, SOON).toBe(1);
  await notify();
  await expect.poll(times, SOON).toBe(2);
});

it('a connection that is killed is made anew, once', async () => {
  const { channel, notify, times } = startListening();
  await expect.poll(times, SOON).toBe(1);
  const [pid] = await listeners(channel);
  await db.$queryRaw`SELECT pg_terminate_backend(${pid}::int)`;
  await expect.poll(times, SOON).toBe(2);
  const after = await listeners(channel);
  expect(after).toHaveLength(1);
  expect(after).not.toContain(pid);
  await notify();
  await expect.poll(times, SOON).toBe(3);
}, 30_000);

it('the end leaves no connection, and nothing is called after it', async () => {
  const { channel, end, notify, times } = startListening();
  await expect.poll(times, SOON).toBe(1);
  await end();
  await expect.poll(() => listeners(channel), SOON).toEqual([]);
  await notify();
  expect(times()).toBe(1);
});

it('the end while it connects leaves no connection either', async () => {
  const { channel, end, times } = startListening();
  await end();
  await expect.poll(() => listeners(channel), SOON).toEqual([]);
  expect(times()).toBe(0);
});
