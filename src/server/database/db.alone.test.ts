import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { db } from '@/test/database';
import { makeAdmin, makeSession } from '@/test/factories';
import { processWide } from '../process-wide';
import { isDatabaseAway } from './db';

it('statements time out after 30 seconds', async () => {
  expect(await db.$queryRaw`SHOW statement_timeout`).toEqual([{ statement_timeout: '30s' }]);
});

it('times are the same instants in a database with another time zone', async () => {
  const [database] = await db.$queryRaw<{ name: string }[]>`SELECT current_database() AS name`;
  const alter = async (change: string) => {
    await db.$executeRawUnsafe(`ALTER DATABASE ${database?.name} ${change}`);
    await db.$disconnect();
  };
  await alter(`SET timezone = 'Europe/Berlin'`);
  onTestFinished(() => alter('RESET timezone'));
  const other = new pg.Client(process.env.DATABASE_URL);
  await other.connect();
  onTestFinished(() => other.end());
  expect((await other.query('SHOW timezone')).rows).toEqual([{ TimeZone: 'Europe/Berlin' }]);

  const { id: adminId } = await makeAdmin();
  const expiresAt = new Date('2026-07-01T12:34:56.789Z');
  const { session } = await makeSession(adminId, { expiresAt });
  const read = 'SELECT (extract(epoch FROM expires_at) * 1000)::float8 AS ms FROM session WHERE id = $1';
  expect((await other.query(read, [session.id])).rows).toEqual([{ ms: expiresAt.getTime() }]);
  expect((await db.session.findUniqueOrThrow({ where: { id: session.id } })).expiresAt).toEqual(expiresAt);
  const [compared] = await db.$queryRaw<{ ms: number; isSame: boolean; isNow: boolean }[]>`
    SELECT (extract(epoch FROM ${expiresAt}::timestamptz) * 1000)::float8 AS ms, expires_at = ${expiresAt} AS "isSame",
           now() - interval '1 minute' < ${new Date()} AND now() + interval '1 minute' > ${new Date()} AS "isNow"
      FROM session WHERE id = ${session.id}::uuid`;
  expect(compared).toEqual({ ms: expiresAt.getTime(), isSame: true, isNow: true });
});

it('a pool without a free connection for 5 seconds counts as an unavailable database', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let held = 0;
  const hold = () => {
    held += 1;
    return released;
  };
  const holders = Array.from({ length: 12 }, () => db.$transaction(hold, { timeout: 60_000 }));
  onTestFinished(async () => {
    release();
    await Promise.all(holders);
  });
  await expect.poll(() => held).toBe(12);
  const query = db.$queryRaw`SELECT 1`.catch((error: unknown) => error);
  const transaction = db.$transaction((tx) => tx.$queryRaw`SELECT 1`).catch((error: unknown) => error);
  expect((await Promise.all([query, transaction])).map(isDatabaseAway)).toEqual([true, true]);
});

describe('a statement that exceeds its timeout', () => {
  const shared = processWide<typeof db>('database');
  let impatient: typeof db;
  let blocker: pg.Client;

  beforeAll(async () => {
    blocker = new pg.Client(process.env.DATABASE_URL);
    await blocker.connect();
    shared.current = undefined;
    vi.resetModules();
    process.env.DATABASE_URL += '?statement_timeout=200';
    const { database } = await import('./db');
    impatient = database();
    await blocker.query('BEGIN');
    await blocker.query('LOCK TABLE domain');
  });

  afterAll(async () => {
    await impatient.$disconnect();
    await blocker.end();
    shared.current = db;
  });

  it.each([
    ['a query', () => impatient.domain.findMany()],
    ['a query in SQL', () => impatient.$queryRaw`SELECT pg_sleep(5)`],
    ['a change', () => impatient.domain.create({ data: { name: 'slow.example' } })],
    ['a transaction', () => impatient.$transaction((tx) => tx.domain.deleteMany())],
  ])('counts as an unavailable database: %s', async (_, run) => {
    const error = await run().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(isDatabaseAway(error)).toBe(true);
  });

  it('is answered with 503 and Retry-After', async () => {
    const { createRestHandler } = await import('../rest/dispatch');
    const { rest } = await import('../rest/meta');
    const { publicProcedure, router } = await import('../procedures/trpc');
    const { Empty } = await import('@/lib/wire');
    const slow = router({
      test: router({
        wait: publicProcedure(Empty)
          .meta(rest('GET', '/wait', { tag: 'x', summary: 'x', isPublic: true, isUnlimited: true }))
          .output(Empty)
          .query(async ({ ctx }) => {
            await ctx.db.domain.findFirst();
            return {};
          }),
      }),
    });
    const response = await createRestHandler(slow)(new Request('http://localhost:3000/api/v1/wait'));
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
    expect((await response.json()).error.code).toBe('SERVICE_UNAVAILABLE');
  });
});
