import pg from 'pg';
import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { type Answer, expectError, keyClient } from '@/test/rest';

const api = await keyClient({ role: 'admin' });

/** Deletes the domain in a transaction that commits once the call waits for it. */
async function whileDeleting(domainId: string, call: () => Promise<Answer>): Promise<Answer> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('DELETE FROM domain WHERE id = $1', [domainId]);
    const answer = call();
    await expect.poll(waitingQueries).toBe(1);
    await client.query('COMMIT');
    return await answer;
  } finally {
    await client.end();
  }
}

async function waitingQueries(): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}

it.each([
  ['an import', '/aliases/import', { csv: 'source_local_part,destination\ninfo,ann@far.example' }],
  ['a new alias', '/aliases', { source_local_part: 'info', destination: 'ann@far.example' }],
])('%s into a domain that is deleted at the same time reports that the domain is gone', async (_, path, body) => {
  const { id } = await makeDomain();
  const answer = await whileDeleting(id, () => api.post(path, { domain_id: id, ...body }));
  expectError(answer, 404, 'DOMAIN_NOT_FOUND');
  expect(await db.auditEntry.count({ where: { domainId: id, outcome: 'denied' } })).toBe(1);
});
