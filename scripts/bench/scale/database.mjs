import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../postgres/database.mjs';
import { startEmbeddedPostgres } from '../../postgres/embedded-postgres.mjs';
import { PlainError } from '../../process/plain-error.mjs';
import { printConditions } from '../database.mjs';
import { seedMessages } from './seed.mjs';

/**
 * The databases with these numbers of messages, seeded on the first run and kept in the folder.
 * @returns {Promise<{ settings: Record<string, string>, urls: string[] }>} settings of the app that must not change
 */
export async function openSeeded(root, dir, counts, lifetime) {
  mkdirSync(dir, { recursive: true });
  const postgres = await startEmbeddedPostgres({ dataDir: dir, database: 'postroom' });
  lifetime.atEnd(postgres.stop);
  await printConditions(postgres.adminUrl);
  const urls = [];
  for (const count of counts) {
    const url = urlOf(postgres.adminUrl, `messages_${count}`);
    const isSeeded = await withClient(url, hasMark).catch(() => false);
    if (isSeeded) await requireSameMigrations(root, url, dir);
    else await createDatabase(postgres.adminUrl, `messages_${count}`);
    await migrate(root, url);
    if (!isSeeded) await withClient(url, (db) => seed(db, count));
    urls.push(url);
  }
  return { settings: keptSettings(dir), urls };
}

function urlOf(adminUrl, database) {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function withClient(url, work) {
  const db = new pg.Client(url);
  await db.connect();
  return work(db).finally(() => db.end());
}

/** Written last, so that an interrupted seed starts over. */
async function hasMark(db) {
  const { rows } = await db.query("SELECT to_regclass('seeded') IS NOT NULL AS is_seeded");
  return rows[0].is_seeded;
}

async function createDatabase(adminUrl, database) {
  await withClient(adminUrl, async (db) => {
    await db.query(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
    await db.query(`CREATE DATABASE "${database}"`);
  });
}

async function seed(db, count) {
  const startedAt = Date.now();
  console.log(`Seeding ${count.toLocaleString('en')} messages:`);
  const onProgress = (text) => console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(6)} s  ${text}`);
  await seedMessages(db, { count, onProgress });
  await db.query('CREATE TABLE seeded AS SELECT now() AS at');
}

/** New migrations are applied; changed ones can't be. */
async function requireSameMigrations(root, url, dir) {
  const { rows } = await withClient(url, (db) =>
    db.query('SELECT migration_name AS name, checksum FROM _prisma_migrations'),
  );
  for (const { name, checksum } of rows) {
    const file = join(root, 'prisma', 'migrations', name, 'migration.sql');
    const current = existsSync(file) && createHash('sha256').update(readFileSync(file)).digest('hex');
    if (current !== checksum)
      throw new PlainError(`The migration ${name} changed since ${dir} was seeded. Delete that folder.`);
  }
}

function keptSettings(dir) {
  const file = join(dir, 'settings.json');
  if (!existsSync(file)) {
    const random = () => randomBytes(32).toString('hex');
    const kept = { SECRET_KEY: random(), ADMIN_EMAIL: 'admin@scale.example', ADMIN_PASSWORD: random() };
    writeFileSync(file, JSON.stringify(kept), { mode: 0o600 });
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}
