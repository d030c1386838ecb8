import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { ADVISORY_LOCKS, lockKeys } from './advisory-locks';

const NUMBER = /\b7_?203_?0\d\d\b/g;
/** A statement that takes an advisory lock, and its first argument. */
const LOCKING = /pg_(?:try_)?advisory_(?:xact_)?lock(?:_shared)?\(([^,)]*)/g;
const SELF = /^src\/server\/database\/advisory-locks(\.test)?\.ts$/;
const listed: number[] = Object.values(ADVISORY_LOCKS);

function codeFiles() {
  const files = execFileSync('git', ['ls-files', 'src/*.ts', 'src/*.mjs', 'scripts/*.mjs'], { encoding: 'utf8' });
  const paths = files.trim().split('\n');
  return paths
    .filter((path) => !SELF.test(path) && !path.includes('.test.'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

const numbersIn = (text: string) => [...text.matchAll(NUMBER)].map(([number]) => Number(number.replaceAll('_', '')));

it('each lock has a number of its own', () => {
  expect(new Set(listed).size).toBe(listed.length);
});

it('SQL functions and scripts use listed numbers, and TypeScript the list', async () => {
  const functions = await db.$queryRaw<{ source: string }[]>`SELECT prosrc AS source FROM pg_proc`;
  const inSql = functions.flatMap(({ source }) => numbersIn(source));
  expect(inSql.length).toBeGreaterThan(3);
  const inCode = codeFiles().flatMap(({ path, text }) => numbersIn(text).map((number) => ({ path, number })));
  expect([...inSql, ...inCode.map(({ number }) => number)].filter((number) => !listed.includes(number))).toEqual([]);
  expect(inCode.filter(({ path }) => path.endsWith('.ts'))).toEqual([]);
});

it('every lock has its number first, not a hash that could be that of another', async () => {
  const functions = await db.$queryRaw<{ source: string }[]>`SELECT prosrc AS source FROM pg_proc WHERE prolang <> 12`;
  const sources = [...functions.map(({ source }) => source), ...codeFiles().map(({ text }) => text)];
  const numbers = sources.flatMap((text) => [...text.matchAll(LOCKING)].map(([, first]) => String(first)));
  expect(numbers.length).toBeGreaterThan(10);
  // `$1` is a number of the list, in statements of the driver.
  const listedOnly = /^(7203\d{3}|\$1|\$\{ADVISORY_LOCKS\W.*)$/;
  expect(numbers.filter((first) => !listedOnly.test(first))).toEqual([]);
});

it('transactions that lock the same keys in another order get them one after the other', async () => {
  const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`);
  const lockAll = (order: string[]) => db.$transaction((tx) => lockKeys(tx, 'inboundMessage', order));
  await Promise.all(Array.from({ length: 20 }, (_, index) => lockAll(index % 2 ? keys : keys.toReversed())));
  const held = await db.$transaction(async (tx) => {
    await lockKeys(tx, 'inboundMessage', ['key 1', 'key 2', 'key 1']);
    const rows = await tx.$queryRaw<unknown[]>`
      SELECT FROM pg_locks
       WHERE locktype = 'advisory' AND classid = ${ADVISORY_LOCKS.inboundMessage}::bigint::oid`;
    return rows.length;
  });
  expect(held).toBe(2);
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
