import { describe, expect, it, onTestFinished } from 'vitest';
import { checkIsMigrated, migrate } from '../../../scripts/postgres/database.mjs';
import { db } from '../database';

const NEWEST = '20991231235959_of_another_version';

const migrateHere = () => migrate(process.cwd(), process.env.DATABASE_URL ?? '');
const checkHere = () => checkIsMigrated(process.cwd(), process.env.DATABASE_URL ?? '');

describe('a database', () => {
  it('of this version is accepted unchanged', async () => {
    expect(await migrateHere()).toBe(0);
    await checkHere();
  });

  it('of a newer version is rejected', async () => {
    await db.$executeRaw`
      INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
      VALUES ('newest', '', ${NEWEST}, now(), 1)`;
    onTestFinished(async () => {
      await db.$executeRaw`DELETE FROM _prisma_migrations WHERE id = 'newest'`;
    });
    const refusal = `The database is of a newer version of Postroom, with ${NEWEST}: start that version`;
    await expect(migrateHere()).rejects.toThrow(refusal);
    await expect(checkHere()).rejects.toThrow(refusal);
  });

  it('of an older version is rejected by the agent', async () => {
    const [{ name }] = await db.$queryRaw<[{ name: string }]>`
      UPDATE _prisma_migrations SET finished_at = NULL
       WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations) RETURNING migration_name AS name`;
    onTestFinished(async () => {
      await db.$executeRaw`UPDATE _prisma_migrations SET finished_at = now() WHERE migration_name = ${name}`;
    });
    await expect(checkHere()).rejects.toThrow(
      'The database is not up to date. Start this version of Postroom once first.',
    );
  });
});
