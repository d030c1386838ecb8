import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { db } from '@/test/database';
import { isDatabaseAway } from './db';

it('a statement has 30 seconds', async () => {
  expect(await db.$queryRaw`SHOW statement_timeout`).toEqual([{ statement_timeout: '30s' }]);
});

describe('a statement that takes too long', () => {
  const shared = globalThis as { postroomDatabase?: typeof db };
  let impatient: typeof db;
  let blocker: pg.Client;

  beforeAll(async () => {
    blocker = new pg.Client(process.env.DATABASE_URL);
    await blocker.connect();
    shared.postroomDatabase = undefined;
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
    shared.postroomDatabase = db;
  });

  it.each([
    ['a query', () => impatient.domain.findMany()],
    ['a query in SQL', () => impatient.$queryRaw`SELECT pg_sleep(5)`],
    ['a change', () => impatient.domain.create({ data: { name: 'slow.example' } })],
    ['a transaction', () => impatient.$transaction((tx) => tx.domain.deleteMany())],
  ])('counts as a database that does not answer: %s', async (_, run) => {
    const error = await run().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(isDatabaseAway(error)).toBe(true);
  });

  it('is answered 503 with Retry-After', async () => {
    const { createRestHandler } = await import('./rest/dispatch');
    const { rest } = await import('./rest/meta');
    const { publicProcedure, router } = await import('./trpc');
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
