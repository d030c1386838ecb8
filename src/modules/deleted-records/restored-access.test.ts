import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAdmin, makeDomain } from '@/test/factories';
import { sessionClient } from '@/test/rest';

const superAdmin = await sessionClient();

/** A deleted domain, and an admin who was assigned to it. */
async function deletedDomain() {
  const domain = await makeDomain();
  const assigned = await makeAdmin({ role: 'domain_admin', domainIds: [domain.id] });
  await superAdmin.delete(`/domains/${domain.id}`);
  return { domain, assigned };
}

const assignedTo = async (domainId: string) =>
  (await db.adminDomain.findMany({ where: { domainId } })).map(({ adminId }) => adminId);

async function entryOf(domainId: string) {
  const [entry] = (await superAdmin.get(`/audit?resource=domain:${domainId}&action=deleted_record.restore`)).data;
  return entry;
}

describe('a restored domain', () => {
  it('gives access back if a super admin restores it, and the audit log says to whom', async () => {
    const { domain, assigned } = await deletedDomain();
    expect((await superAdmin.post(`/deleted-records/${domain.id}/restore`)).status).toBe(200);
    expect(await assignedTo(domain.id)).toEqual([assigned.id]);
    expect((await entryOf(domain.id)).details).toMatchObject({ access_restored_to: [assigned.email] });
  });

  it('gives no access if an admin restores it, who may not assign domains', async () => {
    const { domain } = await deletedDomain();
    const admin = await sessionClient({ role: 'admin' });
    expect((await admin.post(`/deleted-records/${domain.id}/restore`)).status).toBe(200);
    expect(await assignedTo(domain.id)).toEqual([]);
    expect((await entryOf(domain.id)).details).not.toHaveProperty('access_restored_to');
  });

  it.each([
    ['other domains', { domain_ids: [] }],
    ['another role', { role: 'admin' }],
  ])('gives no access to an admin who got %s meanwhile, whatever the admin is now', async (_, change) => {
    const { domain, assigned } = await deletedDomain();
    expect((await superAdmin.patch(`/admins/${assigned.id}`, change)).status).toBe(200);
    await superAdmin.patch(`/admins/${assigned.id}`, { role: 'domain_admin' });
    expect((await superAdmin.post(`/deleted-records/${domain.id}/restore`)).status).toBe(200);
    expect(await assignedTo(domain.id)).toEqual([]);
  });

  it('gives access to an admin whose other fields were changed meanwhile', async () => {
    const { domain, assigned } = await deletedDomain();
    const change = { role: 'domain_admin', password: 'paper boats on the canal' };
    expect((await superAdmin.patch(`/admins/${assigned.id}`, change)).status).toBe(200);
    await superAdmin.post(`/deleted-records/${domain.id}/restore`);
    expect(await assignedTo(domain.id)).toEqual([assigned.id]);
  });
});
