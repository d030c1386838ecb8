import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../../scripts/postgres/database.mjs';
import { bundleForApp } from '../../../scripts/steps/programs.mjs';

const TEMPLATE = `postroom_test_template_${process.pid}`;

declare module 'vitest' {
  interface ProvidedContext {
    adminUrl: string;
    template: string;
  }
}

/** Migrates a database that every process copies. @returns a function that drops it and the copies */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const adminUrl = process.env.TEST_DATABASE_URL;
  if (!adminUrl)
    throw new Error('TEST_DATABASE_URL is not set: run the tests with "npm test", which starts a Postgres.');
  const root = process.cwd();
  await administer(adminUrl, `CREATE DATABASE ${TEMPLATE}`);
  const url = new URL(adminUrl);
  url.pathname = `/${TEMPLATE}`;
  await migrate(root, url.href);
  project.provide('adminUrl', adminUrl);
  project.provide('template', TEMPLATE);
  await bundleForApp(root);
  project.onTestsRerun(() => bundleForApp(root).then(() => undefined));
  return () => dropAll(adminUrl);
}

async function dropAll(adminUrl: string): Promise<void> {
  const made = await administer(adminUrl, `SELECT datname FROM pg_database WHERE starts_with(datname, '${TEMPLATE}')`);
  for (const { datname } of made) {
    await administer(adminUrl, `DROP DATABASE ${datname} WITH (FORCE)`);
    // DATA_DIR has the same name.
    rmSync(join(tmpdir(), datname), { recursive: true, force: true });
  }
}

async function administer(adminUrl: string, statement: string): Promise<{ datname: string }[]> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  const { rows } = await client.query(statement);
  await client.end();
  return rows;
}
