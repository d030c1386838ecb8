import { execFileSync } from 'node:child_process';
import pg from 'pg';
import type { TestProject } from 'vitest/node';

const TEMPLATE = `postroom_test_template_${process.pid}`;

declare module 'vitest' {
  interface ProvidedContext {
    adminUrl: string;
    template: string;
  }
}

/** Migrates a database that every test file copies. @returns a function that drops it */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const adminUrl = process.env.TEST_DATABASE_URL;
  if (!adminUrl)
    throw new Error('TEST_DATABASE_URL is not set: run the tests with "npm test", which starts a Postgres.');
  await administer(adminUrl, `CREATE DATABASE ${TEMPLATE}`);
  const url = new URL(adminUrl);
  url.pathname = `/${TEMPLATE}`;
  execFileSync('npx', ['prisma', 'migrate', 'deploy'], {
    env: { ...process.env, DATABASE_URL: url.href, CHECKPOINT_DISABLE: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  project.provide('adminUrl', adminUrl);
  project.provide('template', TEMPLATE);
  return () => administer(adminUrl, `DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`);
}

async function administer(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  await client.query(statement);
  await client.end();
}
