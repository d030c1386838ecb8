import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAdmin } from '@/test/factories';
import { Prisma } from '../prisma/client';
import { isForeignKeyViolation, isRetryable } from './db';

/** The result outside of a transaction, and in one, which Prisma makes. */
async function both(query: Prisma.Sql) {
  const prisma = await db.$transaction((tx) => tx.$queryRaw<Record<string, unknown>[]>(query));
  const direct = await db.$queryRaw<Record<string, unknown>[]>(query);
  return { direct, prisma };
}

describe('a query in SQL', () => {
  it.each([
    `7::int2`,
    `7::int4`,
    `9007199254740993::int8`,
    `1.50::numeric`,
    `0.1::float8`,
    `0.5::float4`,
    `true`,
    `'a'::text`,
    `NULL::text`,
    `'a'::varchar`,
    `'a'::name`,
    `'domain'::regclass::oid`,
    `'2026-07-01 12:34:56.789+02'::timestamptz`,
    `'2026-07-01 12:34:56'::timestamptz`,
    `'2026-07-01 12:34:56.789'::timestamp`,
    `'2026-07-01'::date`,
    `'\\x00ff'::bytea`,
    `'{"a": [1, "b", null]}'::jsonb`,
    `'[1]'::json`,
    `'null'::jsonb`,
    `'0197a1b0-0000-7000-8000-000000000001'::uuid`,
    `'203.0.113.7'::inet`,
    `'failed'::message_status`,
    `ARRAY['a', NULL, 'b "c", d', '']`,
    `'{}'::text[]`,
    `ARRAY[1, NULL]`,
    `ARRAY[9007199254740993, NULL]::int8[]`,
    `ARRAY[1.50, NULL]::numeric[]`,
    `ARRAY[true, false]`,
    `ARRAY[0.5]::float8[]`,
    `ARRAY['0197a1b0-0000-7000-8000-000000000001']::uuid[]`,
    `ARRAY['2026-07-01 12:34:56.789+02', NULL]::timestamptz[]`,
    `ARRAY['2026-07-01 12:34:56']::timestamp[]`,
    `ARRAY['2026-07-01']::date[]`,
    `ARRAY['\\x00ff', NULL]::bytea[]`,
  ])('has the values that Prisma has: %s', async (value) => {
    const { direct, prisma } = await both(Prisma.raw(`SELECT ${value} AS value`));
    expect(direct).toStrictEqual(prisma);
    expect(direct).toHaveLength(1);
  });

  it.each([
    [Prisma.sql`SELECT ${'a \' "b" {c}'}::text AS value`],
    [Prisma.sql`SELECT ${7}::int + ${1.5}::numeric AS value`],
    [Prisma.sql`SELECT ${9007199254740993n}::int8 AS value`],
    [Prisma.sql`SELECT ${new Prisma.Decimal('1.50')}::numeric AS value`],
    [Prisma.sql`SELECT ${new Date('2026-07-01T12:34:56.789Z')}::timestamptz AS value`],
    [Prisma.sql`SELECT ${new Date('2026-07-01T12:34:56.789Z')}::timestamp AS value`],
    [Prisma.sql`SELECT ${new Date('2026-07-01T23:34:56.789Z')}::date AS value`],
    [Prisma.sql`SELECT ${[new Date('2026-07-01T12:34:56.789Z')]}::timestamptz[] AS value`],
    [Prisma.sql`SELECT ${Uint8Array.of(0, 255)}::bytea AS value`],
    [Prisma.sql`SELECT ${[Uint8Array.of(0, 255)]}::bytea[] AS value`],
    [Prisma.sql`SELECT ${['a', 'b "c", {d}', '']}::text[] AS value`],
    [Prisma.sql`SELECT ${[]}::uuid[] AS value`],
    [Prisma.sql`SELECT ${[1n, 2n]}::int8[] AS value`],
    [Prisma.sql`SELECT ${null}::text AS value`],
    [Prisma.sql`SELECT ${true} AND ${false} AS value`],
    [Prisma.sql`SELECT ${JSON.stringify({ a: [1] })}::jsonb AS value`],
  ])('passes parameters as Prisma does: %#', async (query) => {
    const { direct, prisma } = await both(query);
    expect(direct).toStrictEqual(prisma);
  });

  it('sees the changes of its transaction, and outside only what is committed', async () => {
    await db.$transaction(async (tx) => {
      const { id } = await tx.admin.create({ data: { email: 'new@direct.example', passwordHash: 'x', role: 'admin' } });
      const count = Prisma.sql`SELECT count(*)::int AS count FROM admin WHERE id = ${id}::uuid`;
      expect(await tx.$queryRaw(count)).toEqual([{ count: 1 }]);
      expect(await db.$queryRaw(count)).toEqual([{ count: 0 }]);
    });
  });

  it('goes on after its connections were closed', async () => {
    await db.$disconnect();
    expect(await db.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
    expect(await db.admin.count()).toBeGreaterThanOrEqual(0);
  });

  it('fails with errors of which the causes are known', async () => {
    const { id } = await makeAdmin();
    const missing = Prisma.sql`
      INSERT INTO admin_domain (admin_id, domain_id) VALUES (${id}::uuid, gen_random_uuid()) RETURNING admin_id`;
    const errorOf = (run: Promise<unknown>) => run.then(() => null).catch((error: unknown) => error);
    expect(isForeignKeyViolation(await errorOf(db.$queryRaw(missing)))).toBe(true);
    expect(isForeignKeyViolation(await errorOf(db.$transaction((tx) => tx.$queryRaw(missing))))).toBe(true);
    expect(isRetryable(await errorOf(db.$queryRaw`SELECT 1 / 0`))).toBe(false);
    expect(isRetryable(await errorOf(db.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`))).toBe(true);
  });
});
