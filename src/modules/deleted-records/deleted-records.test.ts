import { describe, expect, it } from 'vitest';
import { KEPT_TABLES } from '@/server/deleted-records/tables';
import { db } from '@/test/database';
import {
  makeAdmin,
  makeDkimKey,
  makeDomain,
  makeMailbox,
  makeSuppression,
  makeWebhook,
  unique,
} from '@/test/factories';
import { type Client, expectError, keyClient, sessionClient } from '@/test/rest';
import { forgetDeletedRecords } from './service';

const restore = (api: Client, id: string) => api.post(`/deleted-records/${id}/restore`);
const DAY_MS = 24 * 60 * 60 * 1000;

async function aliasIn(api: Client, domainId: string, destination = 'ann@far.example') {
  const input = { domain_id: domainId, source_local_part: unique(), destination };
  return (await api.post('/aliases', input)).data as { id: string; address: string };
}

describe('a deleted record', () => {
  it('is listed with who deleted it, and comes back as it was, with its id and a history', async () => {
    const api = await sessionClient();
    const domain = await makeDomain();
    const alias = await aliasIn(api, domain.id);
    const before = (await api.get(`/aliases/${alias.id}`)).data;
    await api.delete(`/aliases/${alias.id}`);
    const [listed] = (await api.get(`/deleted-records?q=${alias.address}`)).data;
    expect(listed).toMatchObject({
      ...{ id: alias.id, kind: 'alias', name: alias.address, domain_id: domain.id },
      deleted_by: { id: api.admin.id, email: api.admin.email },
    });
    expect(Date.parse(listed.restorable_until) - Date.parse(listed.deleted_at)).toBe(30 * DAY_MS);
    expect((await restore(api, alias.id)).data).toEqual({ message: `Alias ${alias.address} restored.` });
    expect((await api.get(`/aliases/${alias.id}`)).data).toEqual(before);
    expect((await api.get(`/deleted-records?q=${alias.address}`)).data).toEqual([]);
    expectError(await restore(api, alias.id), 404, 'NOT_FOUND');
    const [entry] = (await api.get(`/audit?resource=alias:${alias.id}&changes_only=true`)).data;
    expect(entry).toMatchObject({
      action: 'deleted_record.restore',
      details: { before: null, after: { id: alias.id } },
    });
  });

  it('is found by its domain, also if that is deleted, by who deleted it, and by when', async () => {
    const [api, colleague] = [await sessionClient(), await sessionClient()];
    const [domain, other] = [await makeDomain(), await makeDomain()];
    const [first, second] = [await aliasIn(api, domain.id), await aliasIn(api, domain.id)];
    const elsewhere = await aliasIn(api, other.id);
    await api.delete(`/aliases/${first.id}`);
    for (const { id } of [second, elsewhere]) await colleague.delete(`/aliases/${id}`);
    await colleague.delete(`/domains/${domain.id}`);
    const [day, before] = [new Date(Date.now() - DAY_MS), new Date(Date.now() - DAY_MS - 1)];
    await db.deletedRecord.update({ where: { id: first.id }, data: { deletedAt: before } });
    await db.deletedRecord.update({ where: { id: second.id }, data: { deletedAt: day } });
    const found = async (filters: Record<string, string>) => {
      const answer = await api.get(`/deleted-records?${new URLSearchParams(filters)}`);
      return answer.data.map(({ id }: { id: string }) => id);
    };
    const ofDomain = { domain_id: domain.id };
    expect(await found(ofDomain)).toEqual([domain.id, second.id, first.id]);
    expect(await found({ ...ofDomain, deleted_by: api.admin.id })).toEqual([first.id]);
    expect(await found({ deleted_by: colleague.admin.id })).toEqual([domain.id, elsewhere.id, second.id]);
    expect(await found({ ...ofDomain, since: day.toISOString() })).toEqual([domain.id, second.id]);
    expect(await found({ ...ofDomain, until: day.toISOString() })).toEqual([first.id]);
    const outside = await sessionClient({ role: 'domain_admin', domainIds: [other.id] });
    expect((await outside.get(`/deleted-records?domain_id=${domain.id}`)).data).toEqual([]);
  });

  it('comes back with every column and with what was deleted with it', async () => {
    const api = await sessionClient();
    const domain = await makeDomain();
    const { id: mailboxId } = await makeMailbox(domain.id, 'ann', { passwordHash: 'kept', suspendedAt: new Date() });
    const filter = { scope: 'mailbox' as const, mailboxId, name: 'Junk', script: 'stop;', position: 1 };
    await db.sieveFilter.create({ data: filter });
    const rows = async () => ({
      mailbox: await db.mailbox.findMany({ where: { id: mailboxId } }),
      filters: await db.sieveFilter.findMany({ where: { mailboxId } }),
    });
    const before = await rows();
    await api.delete(`/mailboxes/${mailboxId}`);
    expect(await rows()).toEqual({ mailbox: [], filters: [] });
    expect((await restore(api, mailboxId)).status).toBe(200);
    expect(await rows()).toEqual(before);
  });

  it('of a domain brings back its keys, filters, webhooks, suppressions and admins that still exist', async () => {
    const api = await sessionClient();
    const domain = await makeDomain();
    const assigned = { role: 'domain_admin' as const, domainIds: [domain.id] };
    const [stays, leaves] = [await makeAdmin(assigned), await makeAdmin(assigned)];
    await makeDkimKey(domain.id);
    await makeSuppression(domain.id, 'bo@far.example');
    const webhook = await makeWebhook({ domainId: domain.id });
    const filter = { scope: 'domain' as const, domainId: domain.id, name: 'All', script: 'keep;', position: 1 };
    await db.sieveFilter.create({ data: filter });
    const where = { domainId: domain.id };
    const rows = async () => ({
      keys: await db.dkimKey.findMany({ where }),
      suppressions: await db.suppression.findMany({ where }),
      webhooks: await db.webhook.findMany({ where }),
      filters: await db.sieveFilter.findMany({ where }),
    });
    const before = await rows();
    expect(before.webhooks).toMatchObject([{ id: webhook.id }]);
    await api.delete(`/domains/${domain.id}`);
    await db.admin.delete({ where: { id: leaves.id } });
    expect((await restore(api, domain.id)).status).toBe(200);
    expect(await rows()).toEqual(before);
    expect(await db.adminDomain.findMany({ where })).toMatchObject([{ adminId: stays.id }]);
    expect((await db.domain.findUniqueOrThrow({ where: { id: domain.id } })).nextDnsCheckAt).not.toBeNull();
  });

  it('can be restored again after it was deleted again', async () => {
    const api = await sessionClient();
    const webhook = await makeWebhook({ domainId: (await makeDomain()).id });
    for (let time = 0; time < 2; time += 1) {
      expect((await api.delete(`/webhooks/${webhook.id}`)).status).toBe(200);
      expect((await restore(api, webhook.id)).status).toBe(200);
    }
    expect(await db.webhook.findUniqueOrThrow({ where: { id: webhook.id } })).toMatchObject({ secret: webhook.secret });
  });

  it('is refused where it can’t exist any more, and then stays in the list', async () => {
    const api = await sessionClient();
    const domain = await makeDomain();
    const gone = await aliasIn(api, domain.id);
    await api.delete(`/aliases/${gone.id}`);
    await api.post('/aliases', {
      domain_id: domain.id,
      source_local_part: gone.address.split('@')[0],
      destination: 'x@far.example',
    });
    expectError(await restore(api, gone.id), 409, 'CONFLICT');

    const chain = await aliasIn(api, domain.id, `next@${domain.name}`);
    await api.delete(`/aliases/${chain.id}`);
    await api.post('/aliases', { domain_id: domain.id, source_local_part: 'next', destination: 'x@far.example' });
    expectError(await restore(api, chain.id), 400, 'ALIAS_CHAIN');

    await api.patch(`/domains/${domain.id}`, { max_mailboxes: 1 });
    const { id } = await makeMailbox(domain.id, 'ann');
    await api.delete(`/mailboxes/${id}`);
    await makeMailbox(domain.id, 'bo');
    expectError(await restore(api, id), 409, 'CONFLICT');
    await api.patch(`/domains/${domain.id}`, { active: false });
    expectError(await restore(api, id), 403, 'DOMAIN_INACTIVE');
    expect((await api.get(`/deleted-records?q=@${domain.name}`)).data).toHaveLength(3);
  });

  it('of a deleted domain says to restore the domain first, and one of a domain that is there again is refused', async () => {
    const api = await sessionClient();
    const domain = await makeDomain();
    const alias = await aliasIn(api, domain.id);
    await api.delete(`/aliases/${alias.id}`);
    await api.delete(`/domains/${domain.id}`);
    const refused = expectError(await restore(api, alias.id), 409, 'CONFLICT');
    expect(refused.error?.message).toContain('Restore the domain first.');
    await makeDomain({ name: domain.name });
    expectError(await restore(api, domain.id), 409, 'DOMAIN_EXISTS');
  });

  it('that a restored backup has brought back is refused', async () => {
    const api = await sessionClient();
    const webhook = await makeWebhook({ domainId: (await makeDomain()).id });
    await api.delete(`/webhooks/${webhook.id}`);
    await db.webhook.create({ data: webhook });
    expectError(await restore(api, webhook.id), 409, 'CONFLICT');
  });

  it('comes back once, if two restore it at once, and is deleted once', async () => {
    const api = await sessionClient();
    const { id } = await aliasIn(api, (await makeDomain()).id);
    const deleted = await Promise.all([api.delete(`/aliases/${id}`), api.delete(`/aliases/${id}`)]);
    expect(deleted.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    const restored = await Promise.all([restore(api, id), restore(api, id)]);
    expect(restored.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(restored.map(({ status }) => status).every((status) => status < 500)).toBe(true);
  });

  it('is shown to those who can create such a record', async () => {
    const api = await keyClient();
    const [own, foreign] = [await makeDomain(), await makeDomain()];
    const ids = { own: [] as string[], foreign: [] as string[] };
    for (const [list, domain] of [
      [ids.own, own],
      [ids.foreign, foreign],
    ] as const) {
      const [{ id: alias }, webhook] = [await aliasIn(api, domain.id), await makeWebhook({ domainId: domain.id })];
      await api.delete(`/aliases/${alias}`);
      await api.delete(`/webhooks/${webhook.id}`);
      list.push(alias, webhook.id);
    }
    const assigned = await sessionClient({ role: 'domain_admin', domainIds: [own.id] });
    const seen = async (client: Client) =>
      (await client.get('/deleted-records?limit=200')).data.map(({ id }: { id: string }) => id);
    expect(await seen(assigned)).toEqual([ids.own[0]]);
    expectError(await restore(assigned, ids.own[1] as string), 404, 'NOT_FOUND');
    expectError(await restore(assigned, ids.foreign[0] as string), 404, 'NOT_FOUND');
    const scoped = await keyClient({ role: 'admin', scopedDomainIds: [own.id] });
    expect((await seen(scoped)).toSorted()).toEqual(ids.own.toSorted());
    expect(await seen(await sessionClient({ role: 'admin' }))).toEqual(
      expect.arrayContaining([...ids.own, ...ids.foreign]),
    );
  });

  it('is forgotten with all its rows after 30 days', async () => {
    const api = await sessionClient();
    const { id } = await aliasIn(api, (await makeDomain()).id);
    await api.delete(`/aliases/${id}`);
    const now = Date.now();
    await db.deletedRecord.update({ where: { id }, data: { deletedAt: new Date(now - 30 * DAY_MS + 60_000) } });
    await forgetDeletedRecords(db, new Date(now));
    expect(await db.deletedRow.count({ where: { recordId: id } })).toBe(1);
    await db.deletedRecord.update({ where: { id }, data: { deletedAt: new Date(now - 30 * DAY_MS) } });
    expectError(await restore(api, id), 404, 'NOT_FOUND');
    await forgetDeletedRecords(db, new Date(now));
    expect(await db.deletedRow.count({ where: { recordId: id } })).toBe(0);
  });
});

/** Results of checks, which run again, and counts of reports and bounces that were dropped, with those that can't be read. */
const NOT_KEPT = ['dns_change', 'dns_check', 'dns_record', 'dropped_report', 'dropped_bounce', 'unread_bounce'];

it('everything that a deletion deletes in other tables is kept, except results of checks and counts', async () => {
  for (const [kind, tables] of Object.entries(KEPT_TABLES)) {
    const cascading = await db.$queryRaw<{ table: string }[]>`
      SELECT conrelid::regclass::text AS "table" FROM pg_constraint
       WHERE contype = 'f' AND confdeltype = 'c' AND confrelid = ${`"${kind}"`}::regclass`;
    const lost = cascading.map(({ table }) => table).filter((table) => !NOT_KEPT.includes(table));
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(lost));
  }
});
