import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAlias, makeDomain, makeWebhook, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';

type Listed = { action: string; resource_name: string | null };

async function searcher(over: Parameters<typeof keyClient>[0] = {}) {
  const api = await keyClient(over);
  const find = async (q: string, query = ''): Promise<string[]> =>
    (await api.get(`/audit?q=${encodeURIComponent(q)}${query}`)).data.map(({ action }: Listed) => action);
  return { api, find };
}

describe('a search of the audit log', () => {
  it('finds a part of the actor’s address, the action, a name, the domain or the IP address', async () => {
    const { api, find } = await searcher();
    const domain = await makeDomain();
    const { data: alias } = await api.post('/aliases', {
      domain_id: domain.id,
      source_local_part: unique(),
      destination: `${unique()}@far.example`,
    });
    await api.patch(`/aliases/${alias.id}`, { active: false });
    await api.delete(`/aliases/${alias.id}`);
    const all = ['alias.delete', 'alias.update', 'alias.create'];
    expect(await find(api.admin.email.slice(1, 12))).toEqual(all);
    expect(await find(alias.source_local_part)).toEqual(all);
    expect(await find(`@${domain.name}`)).toEqual(all);
    expect(await find(domain.name.toUpperCase())).toEqual(all);
    const own = `&admin_id=${api.admin.id}`;
    expect(await find('alias.del', own)).toEqual(['alias.delete']);
    expect(await find('update', own)).toEqual(['alias.update']);
    expect(await find('2001:db8:', own)).toEqual(all);
    expect(await find('alias', `${own}&outcome=denied`)).toEqual([]);
    expect(await find(unique())).toEqual([]);
  });

  it('finds the entries of one kind of record', async () => {
    const { api } = await searcher();
    const domain = await makeDomain();
    const own = `admin_id=${api.admin.id}`;
    const kindsOf = async (query: string): Promise<string[]> =>
      (await api.get(`/audit?${own}&${query}`)).data.map(({ action }: Listed) => action);
    await api.post('/aliases', { domain_id: domain.id, source_local_part: unique(), destination: 'a@far.example' });
    await api.patch(`/domains/${domain.id}`, { description: 'x' });
    await api.patch(`/domains/${domain.id}`, { active: false });
    expect(await kindsOf('kind=domain')).toEqual(['domain.update', 'domain.update']);
    expect(await kindsOf('kind=alias')).toEqual(['alias.create']);
    expect(await kindsOf(`kind=alias&domain_id=${domain.id}&q=create`)).toEqual(['alias.create']);
    expect(await kindsOf('kind=mailbox')).toEqual([]);
    expect((await api.get('/audit?kind=aliases')).status).toBe(400);
  });

  it('finds a request id by its start, and a resource', async () => {
    const { api, find } = await searcher();
    const domain = await makeDomain();
    const { meta } = await api.patch(`/domains/${domain.id}`, { description: 'x' });
    const id = meta.request_id;
    for (const text of [id, id.toUpperCase(), id.slice(0, 30), id.slice(0, 24)]) {
      expect(await find(text, `&admin_id=${api.admin.id}`), text).toEqual(['domain.update']);
    }
    expect(await find(`domain:${domain.id}`)).toEqual(['domain.update']);
    expect(await find(`${id}0`)).toEqual([]);
  });

  it('finds entries that every word finds, in any order and field', async () => {
    const { api, find } = await searcher();
    const domain = await makeDomain();
    const local = unique();
    const { data: alias } = await api.post('/aliases', {
      domain_id: domain.id,
      source_local_part: local,
      destination: 'a@far.example',
    });
    const { meta } = await api.patch(`/aliases/${alias.id}`, { active: false });
    await api.patch(`/domains/${domain.id}`, { description: 'x' });
    const actor = api.admin.email.split('@')[0];
    expect(await find(`${actor} alias`)).toEqual(['alias.update', 'alias.create']);
    expect(await find(`update ${local}  ${actor}`)).toEqual(['alias.update']);
    expect(await find(`${actor} ${domain.name}`)).toEqual(['domain.update', 'alias.update', 'alias.create']);
    expect(await find(`${actor} & alias`)).toHaveLength(2);
    expect(await find(`${actor} alias ${unique()}`)).toEqual([]);
    const request = meta.request_id;
    expect(await find(`${request.slice(0, 30)} alias`)).toEqual(['alias.update']);
    expect(await find(`${request} webhook`)).toEqual([]);
    expect(await find(`alias:${alias.id} upd`)).toEqual(['alias.update']);
  });

  it('finds entries without a recorded name by the name that the resource had', async () => {
    const { api, find } = await searcher();
    const webhook = await makeWebhook();
    const name = unique();
    await db.webhook.update({ where: { id: webhook.id }, data: { name } });
    await api.post(`/webhooks/${webhook.id}/rotate-secret`);
    await api.delete(`/webhooks/${webhook.id}`);
    expect(await find(name)).toEqual(['webhook.delete', 'webhook.rotate_secret']);
  });

  it('finds only entries of domains in scope, page by page', async () => {
    const [own, foreign] = [await makeDomain(), await makeDomain()];
    const { api } = await searcher();
    const word = unique();
    for (const { id } of [own, foreign, own, own]) {
      await api.post('/aliases', {
        domain_id: id,
        source_local_part: `${word}${unique()}`,
        destination: 'a@far.example',
      });
    }
    const { api: scoped } = await searcher({ role: 'domain_admin', domainIds: [own.id] });
    const first = await scoped.get(`/audit?q=${word}&limit=2`);
    const second = await scoped.get(`/audit?q=${word}&limit=2&cursor=${first.meta.pagination?.next_cursor}`);
    expect([first.data.length, second.data.length]).toEqual([2, 1]);
    expect(second.meta.pagination?.has_more).toBe(false);
  });
});

describe('the name of a resource', () => {
  it('is the recorded one, also once it is deleted, and else the current one', async () => {
    const { api } = await searcher();
    const domain = await makeDomain();
    const alias = await makeAlias(domain.id, 'hello', 'a@far.example');
    await api.delete(`/aliases/${alias.id}`);
    await api.post(`/domains/${domain.id}/dkim/rotate`, {});
    const { data } = await api.get(`/audit?domain_id=${domain.id}`);
    expect(data).toMatchObject([
      { action: 'domain.rotate_dkim', resource_name: domain.name },
      { action: 'alias.delete', resource_name: `hello@${domain.name}` },
    ]);
  });

  it('of another domain is not shown, although the entry is', async () => {
    const [own, foreign] = [await makeDomain(), await makeDomain()];
    const alias = await makeAlias(foreign.id, 'hidden', 'a@far.example');
    const facts = { ipAddress: '', userAgent: '', requestId: alias.id, outcome: 'denied' as const, details: {} };
    const entry = { action: 'alias.update', resource: `alias:${alias.id}`, domainId: own.id };
    await db.auditEntry.create({ data: { ...facts, ...entry } });
    const { api: scoped } = await searcher({ role: 'domain_admin', domainIds: [own.id] });
    expect((await scoped.get('/audit')).data).toMatchObject([{ resource: entry.resource, resource_name: null }]);
    const { api } = await searcher();
    const [seen] = (await api.get(`/audit?resource=${entry.resource}`)).data;
    expect(seen.resource_name).toBe(`hidden@${foreign.name}`);
  });
});
