import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAdmin, makeDomain, makeMailbox, makeSuppression, makeWebhook } from '@/test/factories';
import { holdLocksOf, untilBlocked } from '@/test/locks';
import { type Answer, sessionClient } from '@/test/rest';

const api = await sessionClient();
const other = await sessionClient();

/** Keeps a transaction waiting that has made its change. */
const LOCK_AUDIT_LOG = 'LOCK TABLE audit_entry IN SHARE MODE';

/** Begins a change, makes a call that waits for it, and commits. Returns the answer to the call. */
async function duringChange(sql: string, id: string, call: () => Promise<Answer>): Promise<Answer> {
  const commit = await holdLocksOf(sql, [id]);
  const answer = call();
  await untilBlocked();
  await commit();
  return answer;
}

const restore = (id: string) => api.post(`/deleted-records/${id}/restore`);

describe('a deletion', () => {
  it('keeps a change of the record that commits meanwhile', async () => {
    const { id } = await makeMailbox((await makeDomain()).id, 'ann');
    const suspend = 'UPDATE mailbox SET suspended_at = now() WHERE id = $1';
    const deleted = await duringChange(suspend, id, () => api.delete(`/mailboxes/${id}`));
    expect([deleted.status, (await restore(id)).status]).toEqual([200, 200]);
    expect((await db.mailbox.findUniqueOrThrow({ where: { id } })).suspendedAt).not.toBeNull();
  });

  it('keeps a change of what is deleted with the record', async () => {
    const domain = await makeDomain();
    const { id } = await makeWebhook({ domainId: domain.id });
    const deactivate = 'UPDATE webhook SET active = false WHERE id = $1';
    const deleted = await duringChange(deactivate, id, () => api.delete(`/domains/${domain.id}`));
    expect([deleted.status, (await restore(domain.id)).status]).toEqual([200, 200]);
    expect((await db.webhook.findUniqueOrThrow({ where: { id } })).active).toBe(false);
  });

  it('of a mailbox that another call deletes finds none', async () => {
    const { id } = await makeMailbox((await makeDomain()).id, 'ann');
    const deleted = await duringChange('DELETE FROM mailbox WHERE id = $1', id, () => api.delete(`/mailboxes/${id}`));
    expect([deleted.status, deleted.error?.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('of a domain keeps no access that is taken meanwhile', async () => {
    const domain = await makeDomain();
    const assigned = await makeAdmin({ role: 'domain_admin', domainIds: [domain.id] });
    const commit = await holdLocksOf(LOCK_AUDIT_LOG);
    const deleted = api.delete(`/domains/${domain.id}`);
    await untilBlocked();
    const taken = other.patch(`/admins/${assigned.id}`, { domain_ids: [] });
    await untilBlocked(2);
    await commit();
    expect([(await deleted).status, (await taken).status, (await restore(domain.id)).status]).toEqual([200, 200, 200]);
    expect(await db.adminDomain.count({ where: { domainId: domain.id } })).toBe(0);
  });
});

describe('a restore', () => {
  it('gives no access back that is taken meanwhile', async () => {
    const domain = await makeDomain();
    const assigned = await makeAdmin({ role: 'domain_admin', domainIds: [domain.id] });
    await api.delete(`/domains/${domain.id}`);
    const commit = await holdLocksOf(LOCK_AUDIT_LOG);
    const restored = restore(domain.id);
    await untilBlocked();
    const taken = other.patch(`/admins/${assigned.id}`, { domain_ids: [] });
    await untilBlocked(2);
    await commit();
    expect([(await restored).status, (await taken).status]).toEqual([200, 200]);
    expect(await db.adminDomain.count({ where: { domainId: domain.id } })).toBe(0);
  });

  it('of a domain delays no changes of aliases while it inserts rows', async () => {
    const [domain, free] = [await makeDomain(), await makeDomain()];
    await makeSuppression(domain.id, 'ann@far.example');
    await api.delete(`/domains/${domain.id}`);
    const keptSuppression = `SELECT 1 FROM deleted_row WHERE record_id = $1 AND "table" = 'suppression' FOR UPDATE`;
    const release = await holdLocksOf(keptSuppression, [domain.id]);
    const restored = restore(domain.id);
    await untilBlocked();
    const alias = { domain_id: free.id, source_local_part: 'info', destination: `ann@${domain.name}` };
    expect((await other.post('/aliases', alias)).status).toBe(201);
    await release();
    expect((await restored).status).toBe(200);
  });

  it('of a domain brings back 45,000 suppressions, in batches', async () => {
    const domain = await makeDomain();
    await db.$executeRaw`
      INSERT INTO suppression (id, email, domain_id, reason, created_at)
      SELECT uuid_v7(), n || '@far.example', ${domain.id}::uuid, 'bounce', now() FROM generate_series(1, 45000) AS n`;
    await api.delete(`/domains/${domain.id}`);
    expect(await db.suppression.count({ where: { domainId: domain.id } })).toBe(0);
    expect((await restore(domain.id)).status).toBe(200);
    expect(await db.suppression.count({ where: { domainId: domain.id } })).toBe(45_000);
  });
});
