import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { holdLocksOf, untilBlocked } from '@/test/locks';
import { type Answer, expectError, keyClient } from '@/test/rest';

const api = await keyClient({ role: 'admin' });

/** Deletes the domain in a transaction that commits once the call waits for it. */
async function whileDeleting(domainId: string, call: () => Promise<Answer>): Promise<Answer> {
  const commit = await holdLocksOf('DELETE FROM domain WHERE id = $1', [domainId]);
  const answer = call();
  await untilBlocked();
  await commit();
  return answer;
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

it('an import of several domains, one of which is deleted at the same time, imports the others and reports its lines', async () => {
  const [first, second] = (await Promise.all([makeDomain(), makeDomain()])).toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  ) as [Awaited<ReturnType<typeof makeDomain>>, Awaited<ReturnType<typeof makeDomain>>];
  const csv = `address,destination\ninfo@${first.name},x@far.example\ninfo@${second.name},x@far.example`;
  const answer = await whileDeleting(second.id, () => api.post('/aliases/import', { domain_id: null, csv }));
  expect(answer.data).toMatchObject({
    created: 1,
    lines: [
      { domain: first.name, outcome: 'created' },
      { domain: second.name, outcome: 'failed', code: 'DOMAIN_NOT_FOUND' },
    ],
  });
  expect(await db.alias.count({ where: { domainId: first.id } })).toBe(1);
});
