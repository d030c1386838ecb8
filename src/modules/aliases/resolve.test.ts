import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAlias, makeDomain, makeMailbox } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

let api: Awaited<ReturnType<typeof keyClient>>;
let domain: { id: string; name: string };

beforeEach(async () => {
  api = await keyClient({ role: 'admin' });
  domain = await makeDomain();
});

describe('tracing an address', () => {
  const trace = async (local: string) => (await api.get(`/aliases/resolve?address=${local}@${domain.name}`)).data;

  it('explains how the mail server routes it', async () => {
    expect(await trace('ann')).toMatchObject({ outcome: 'rejected', destinations: [], alias_id: null });
    const catchAll = await makeAlias(domain.id, '', 'x@far.example');
    expect(await trace('ann')).toMatchObject({
      outcome: 'catch_all',
      destinations: ['x@far.example'],
      alias_id: catchAll.id,
    });
    const alias = await makeAlias(domain.id, 'ann', `y@far.example,nobody@${domain.name}`);
    expect(await trace('Ann')).toMatchObject({
      outcome: 'alias',
      destinations: ['y@far.example'],
      dropped: [`nobody@${domain.name}`],
      alias_id: alias.id,
    });
    const mailbox = await makeMailbox(domain.id, 'ann');
    expect(await trace('ann')).toMatchObject({
      outcome: 'mailbox',
      mailbox_id: mailbox.id,
      destinations: [`ann@${domain.name}`],
      explanation: expect.stringContaining('precedence over the alias'),
    });
    expect(await trace('ann+shop')).toMatchObject({ address: `ann+shop@${domain.name}`, mailbox_id: mailbox.id });
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect(await trace('ann')).toMatchObject({
      outcome: 'rejected',
      explanation: expect.stringContaining('inactive'),
    });
  });

  it('says that mail is read as reports, unless a mailbox or an alias has the address', async () => {
    await makeAlias(domain.id, '', 'x@far.example');
    const read = { outcome: 'reports', destinations: [`tls-reports@${domain.name}`], alias_id: null };
    expect(await trace('tls-reports')).toMatchObject(read);
    await makeAlias(domain.id, 'tls-reports', 'y@far.example');
    expect(await trace('tls-reports')).toMatchObject({ outcome: 'alias', destinations: ['y@far.example'] });
  });

  it('names what is inactive, and rejects an alias without a working destination', async () => {
    await makeAlias(domain.id, 'off', 'x@far.example', { active: false });
    expect((await trace('off')).explanation).toBe(
      'No active mailbox or alias receives mail for this address. Inactive: alias.',
    );
    await makeAlias(domain.id, 'dead', `nobody@${domain.name}`);
    expect(await trace('dead')).toMatchObject({ outcome: 'rejected', dropped: [`nobody@${domain.name}`] });
  });

  it('is limited to the caller’s domain scope', async () => {
    const unassigned = await keyClient({ role: 'domain_admin' });
    expectError(await unassigned.get(`/aliases/resolve?address=a@${domain.name}`), 403, 'FORBIDDEN');
    expectError(await api.get('/aliases/resolve?address=a@unmanaged.example'), 404, 'DOMAIN_NOT_FOUND');
    expectError(await api.get('/aliases/resolve?address=nonsense'), 400, 'VALIDATION_ERROR');
    expectError(await api.get('/aliases/resolve'), 400, 'MISSING_FIELDS');
  });

  it('explains that a tagged address is routed like the one without the tag', async () => {
    const at = (local: string) => `${local}@${domain.name}`;
    const team = await makeAlias(domain.id, 'team', at('ann+team'));
    expect(await trace('team%2Bx')).toMatchObject({ outcome: 'rejected', dropped: [at('ann+team')] });

    const { id } = await makeMailbox(domain.id, 'ann');
    expect(await trace('ann%2Bshop')).toMatchObject({
      address: at('ann+shop'),
      outcome: 'mailbox',
      mailbox_id: id,
      destinations: [at('ann')],
      explanation: `A mailbox has ${at('ann')}, this address without its tag.`,
    });
    expect(await trace('team%2Bx')).toMatchObject({
      outcome: 'alias',
      alias_id: team.id,
      destinations: [at('ann')],
      dropped: [],
    });
    expect((await api.get(`/aliases/${team.id}`)).data.warnings).toEqual([]);
  });
});
