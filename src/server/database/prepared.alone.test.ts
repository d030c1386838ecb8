import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { makeDomain } from '@/test/factories';
import { toDatabase } from './db';
import { statementName } from './prepared';

function connectOnce() {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
  const db = toDatabase(new PrismaPg(pool, { statementNameGenerator: statementName }));
  onTestFinished(async () => {
    await db.$disconnect();
    await pool.end();
  });
  const prepared = async () => {
    const { rows } = await pool.query('SELECT statement FROM pg_prepared_statements ORDER BY prepare_time');
    return rows.map(({ statement }) => statement as string);
  };
  return { db, pool, prepared };
}

it('prepares what recurs, but no list, whose best plan depends on its filters', async () => {
  const { db, prepared } = connectOnce();
  const { id } = await makeDomain();
  for (let call = 0; call < 3; call++) {
    await db.domain.findUnique({ where: { id }, select: { name: true } });
    await db.domain.findMany({ where: { active: true }, orderBy: { name: 'asc' }, take: 5 });
    await db.$queryRaw`SELECT count(*) FROM domain WHERE name = ${id}`;
    await db.$queryRaw`/* prepared */ SELECT max(name) FROM domain WHERE id = ${id}::uuid`;
  }
  await db.domain.findUnique({ where: { id }, select: { createdAt: true } });
  expect(await prepared()).toEqual([
    expect.stringMatching(/^SELECT .*"name" FROM "public"."domain"/),
    expect.stringMatching('SELECT max'),
  ]);
});

it('goes on while a table gets another column or constraint, as in an upgrade', async () => {
  const { db, pool } = connectOnce();
  const { id } = await makeDomain();
  const find = () => db.domain.findUnique({ where: { id } });
  for (let call = 0; call < 8; call++) await find();
  await pool.query(
    'ALTER TABLE domain ADD COLUMN later text DEFAULT $$x$$, ADD CONSTRAINT later CHECK (later <> $$$$)',
  );
  expect(await find()).toMatchObject({ id });
  await pool.query('ALTER TABLE domain DROP COLUMN later');
  expect(await find()).toMatchObject({ id });
});
