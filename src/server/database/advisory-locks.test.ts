import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { ADVISORY_LOCKS } from './advisory-locks';

const NUMBER = /\b7_?203_?0\d\d\b/g;
const SELF = /^src\/server\/database\/advisory-locks(\.test)?\.ts$/;
const listed: number[] = Object.values(ADVISORY_LOCKS);

const numbersIn = (text: string) => [...text.matchAll(NUMBER)].map(([number]) => Number(number.replaceAll('_', '')));

it('each lock has a number of its own', () => {
  expect(new Set(listed).size).toBe(listed.length);
});

it('SQL functions and scripts use listed numbers, and TypeScript the list', async () => {
  const functions = await db.$queryRaw<{ source: string }[]>`SELECT prosrc AS source FROM pg_proc`;
  const inSql = functions.flatMap(({ source }) => numbersIn(source));
  expect(inSql.length).toBeGreaterThan(3);
  const files = execFileSync('git', ['ls-files', 'src/*.ts', 'src/*.mjs', 'scripts/*.mjs'], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const inFiles = files.filter((path) => !SELF.test(path) && !path.includes('.test.'));
  const inCode = inFiles.flatMap((path) => numbersIn(readFileSync(path, 'utf8')).map((number) => ({ path, number })));
  expect([...inSql, ...inCode.map(({ number }) => number)].filter((number) => !listed.includes(number))).toEqual([]);
  expect(inCode.filter(({ path }) => path.endsWith('.ts'))).toEqual([]);
});

it('aliases are written while statistics are rebuilt', async () => {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.statistics]);
  const { id } = await makeDomain();
  const alias = { domain_id: id, source_local_part: 'hello', destination: 'ann@far.example' };
  expect((await (await keyClient()).post('/aliases', alias)).status).toBe(201);
});
