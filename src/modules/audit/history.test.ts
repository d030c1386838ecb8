import { describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { keyClient, sessionClient } from '@/test/rest';

const history = (resource: string) => `/audit?resource=${resource}&changes_only=true`;
const actions = (entries: { action: string }[]) => entries.map(({ action }) => action);

describe('the history of a record', () => {
  it('has its changes, the newest first, without what changed nothing', async () => {
    const api = await sessionClient();
    const domain = await makeDomain();
    const input = { domain_id: domain.id, source_local_part: 'info', destination: 'ann@far.example' };
    const { data: alias } = await api.post('/aliases', input);
    await api.patch(`/aliases/${alias.id}`, { destination: 'not an address' });
    await api.patch(`/aliases/${alias.id}`, { destination: `info@${domain.name}` });
    await api.patch(`/aliases/${alias.id}`, { destination: 'bo@far.example' });
    await api.delete(`/aliases/${alias.id}`);
    await db.auditEntry.create({
      data: {
        ...{ action: 'alias.update', resource: `alias:${alias.id}`, ipAddress: '192.0.2.1', userAgent: '' },
        ...{ requestId: crypto.randomUUID(), outcome: 'success', details: { dry_run: true } },
      },
    });
    const { data } = await api.get(history(`alias:${alias.id}`));
    expect(actions(data)).toEqual(['alias.delete', 'alias.update', 'alias.create']);
    expect((await api.get(`/audit?resource=alias:${alias.id}`)).data.length).toBeGreaterThan(3);
  });

  it('leaves out checks, tests and sign-ins of a record', async () => {
    const api = await sessionClient();
    const domain = await makeDomain();
    await api.patch(`/domains/${domain.id}`, { description: 'The shop' });
    const input = {
      action: 'domain.check_dns',
      resource: `domain:${domain.id}`,
      ipAddress: '192.0.2.1',
      userAgent: '',
    };
    await db.auditEntry.create({
      data: { ...input, domainId: domain.id, requestId: crypto.randomUUID(), outcome: 'success', details: {} },
    });
    expect(actions((await api.get(history(`domain:${domain.id}`))).data)).toEqual(['domain.update']);
  });

  it('is empty for a domain_admin of other domains', async () => {
    const [own, foreign] = [await makeDomain(), await makeDomain()];
    const api = await sessionClient();
    for (const { id } of [own, foreign]) await api.patch(`/domains/${id}`, { description: 'Changed' });
    const assigned = await sessionClient({ role: 'domain_admin', domainIds: [own.id] });
    expect((await assigned.get(history(`domain:${own.id}`))).data).toHaveLength(1);
    expect((await assigned.get(history(`domain:${foreign.id}`))).data).toEqual([]);
  });

  it('names the key of a change while it exists, and the records that fields refer to', async () => {
    const api = await keyClient();
    const domain = await makeDomain();
    const mailbox = await makeMailbox(domain.id, 'reports');
    await api.patch(`/domains/${domain.id}`, { report_mailbox_id: mailbox.id });
    const entry = async () => (await (await sessionClient()).get(history(`domain:${domain.id}`))).data[0];
    const { name } = await db.apiKey.findUniqueOrThrow({ where: { id: api.keyId } });
    expect(await entry()).toMatchObject({ api_key_name: name, names: { [mailbox.id]: `reports@${domain.name}` } });
    await db.apiKey.delete({ where: { id: api.keyId } });
    await db.mailbox.delete({ where: { id: mailbox.id } });
    expect(await entry()).toMatchObject({ api_key_id: api.keyId, api_key_name: null, names: {} });
  });
});
