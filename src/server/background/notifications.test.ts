import { expect, it, onTestFinished, vi } from 'vitest';
import { db } from '@/test/database';
import { unique } from '@/test/factories';
import { listen } from './notifications';

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

it('calls back for each notification and after each reconnect', async () => {
  const { notify, times } = startListening();
  await expect.poll(times).toBe(1);
  await notify();
  await expect.poll(times).toBe(2);
});

it('replaces a killed connection once', async () => {
  const { channel, notify, times } = startListening();
  await expect.poll(times).toBe(1);
  const [pid] = await listeners(channel);
  await db.$queryRaw`SELECT pg_terminate_backend(${pid}::int)`;
  await expect.poll(times).toBe(2);
  const after = await listeners(channel);
  expect(after).toHaveLength(1);
  expect(after).not.toContain(pid);
  await notify();
  await expect.poll(times).toBe(3);
});

it('closes its connection when stopped, and calls back no more', async () => {
  const { channel, end, notify, times } = startListening();
  await expect.poll(times).toBe(1);
  await end();
  await expect.poll(() => listeners(channel)).toEqual([]);
  await notify();
  expect(times()).toBe(1);
});

it('closes its connection when stopped while connecting', async () => {
  const { channel, end, times } = startListening();
  await end();
  await expect.poll(() => listeners(channel)).toEqual([]);
  expect(times()).toBe(0);
});
