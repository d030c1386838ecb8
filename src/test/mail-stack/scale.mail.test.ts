import { execFileSync } from 'node:child_process';
import pg from 'pg';
import { expect, it } from 'vitest';
import { makeDomain } from './support/directory';
import { db, mailServer } from './support/mail-server';

const FEW = 1_000;
const MANY = 200_000;
const AT_ONCE = 20_000;
const LOOKUPS = 1_000;
const POSTMAP_ROUNDS = 7;
const MAX_RATIO = 3;

it(`looks up addresses among ${MANY} mailboxes and ${MANY} aliases in at most ${MAX_RATIO} times the time for ${FEW}`, async () => {
  const few = await measure(await fill(FEW), FEW);
  const many = await measure(await fill(MANY), MANY);
  for (const [lookup, fewMs] of Object.entries(few)) {
    const manyMs = many[lookup] ?? Number.NaN;
    console.log(`${lookup}: ${fewMs.toFixed(3)} ms among ${FEW}, ${manyMs.toFixed(3)} ms among ${MANY}`);
    expect(manyMs / fewMs, lookup).toBeLessThanOrEqual(MAX_RATIO);
  }
});

async function fill(count: number): Promise<string> {
  const { id, name } = await makeDomain();
  for (let first = 1; first <= count; first += AT_ONCE) {
    const last = Math.min(count, first + AT_ONCE - 1);
    await db.$executeRaw`
      INSERT INTO mailbox (id, domain_id, local_part, password_hash, updated_at)
      SELECT gen_random_uuid(), ${id}::uuid, 'm' || n, 'x', now() FROM generate_series(${first}::int, ${last}::int) n`;
    await db.$executeRaw`
      INSERT INTO alias (id, domain_id, source_local_part, destination, updated_at)
      SELECT gen_random_uuid(), ${id}::uuid, 'a' || n, 'm' || n || '@' || ${name}::text, now()
        FROM generate_series(${first}::int, ${last}::int) n`;
  }
  // Autovacuum would do this within a minute; until then, Postgres plans for empty tables.
  await db.$executeRaw`ANALYZE`;
  return name;
}

/** Median times through one connection, like proxymap's, and for a list of lookups with postmap. */
async function measure(domain: string, count: number): Promise<Record<string, number>> {
  const client = new pg.Client(mailServer.settings.DATABASE);
  await client.connect();
  const medians: Record<string, number> = {};
  for (const kind of ['m', 'a']) {
    const times: number[] = [];
    for (let lookup = 0; lookup < LOOKUPS; lookup++) {
      const local = `${kind}${((lookup * 7_919) % count) + 1}`;
      const startedAt = performance.now();
      const { rows } = await client.query('SELECT * FROM mta.resolve($1, $2)', [local, domain]);
      times.push(performance.now() - startedAt);
      expect(rows).toHaveLength(1);
    }
    medians[kind === 'm' ? 'a mailbox' : 'an alias'] = medianOf(times);
  }
  await client.end();
  const rounds = Array.from({ length: POSTMAP_ROUNDS }, () => timeOfPostmap(domain, count));
  return { ...medians, [`${LOOKUPS} of both by postmap`]: medianOf(rounds) };
}

function timeOfPostmap(domain: string, count: number): number {
  const addresses = Array.from({ length: LOOKUPS }, (_, lookup) => {
    return `${lookup % 2 ? 'm' : 'a'}${((lookup * 7_919) % count) + 1}@${domain}`;
  });
  const map = `pgsql:${mailServer.config}/postfix/maps/aliases.cf`;
  const startedAt = performance.now();
  const output = execFileSync('postmap', ['-c', `${mailServer.config}/postfix`, '-q', '-', map], {
    input: `${addresses.join('\n')}\n`,
    encoding: 'utf8',
  });
  const elapsedMs = performance.now() - startedAt;
  expect(output.trim().split('\n')).toHaveLength(LOOKUPS);
  return elapsedMs;
}

function medianOf(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
