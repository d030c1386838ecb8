import { beforeEach, describe, expect, it } from 'vitest';
import { makeDomain, makeMailbox } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';

let api: Awaited<ReturnType<typeof keyClient>>;
let domain: { id: string; name: string };

beforeEach(async () => {
  api = await keyClient({ role: 'admin' });
  domain = await makeDomain();
});

const create = (source: string, destination: string, over: object = {}) =>
  api.post('/aliases', { domain_id: domain.id, source_local_part: source, destination, ...over });

describe('alias chains', () => {
  it('are rejected from either end, in any letter case', async () => {
    await create('first', 'ann@far.example');
    const forward = expectError(await create('second', `FIRST@${domain.name}`), 400, 'ALIAS_CHAIN');
    expect(forward.error.details.fields?.[0]?.path).toBe('destination');
    await create('third', `Fourth@${domain.name}, x@far.example`);
    const backward = expectError(await create('fourth', 'ann@far.example'), 400, 'ALIAS_CHAIN');
    expect(backward.error.details.fields?.[0]?.path).toBe('source_local_part');
    expectError(await create('fifth', `fifth@${domain.name}`), 400, 'ALIAS_CHAIN');
  });

  it('are rejected across managed domains', async () => {
    const other = await makeDomain();
    await create('first', 'ann@far.example');
    const across = { domain_id: other.id, source_local_part: 'a', destination: `first@${domain.name}` };
    expectError(await api.post('/aliases', across), 400, 'ALIAS_CHAIN');
    await create('third', `b@${other.name}`);
    expectError(
      await api.post('/aliases', { ...across, source_local_part: 'b', destination: 'x@far.example' }),
      400,
      'ALIAS_CHAIN',
    );
  });

  it('are rejected when an alias is updated', async () => {
    await create('first', 'ann@far.example');
    const { data } = await create('second', 'ann@far.example');
    expectError(await api.patch(`/aliases/${data.id}`, { destination: `first@${domain.name}` }), 400, 'ALIAS_CHAIN');
    expectError(await api.patch(`/aliases/${data.id}`, { destination: `second@${domain.name}` }), 400, 'ALIAS_CHAIN');
    expect((await api.get(`/aliases/${data.id}`)).data.destination).toBe('ann@far.example');
  });

  it('cannot be created by concurrent requests', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b] = [`a${round}`, `b${round}`];
      const answers = await Promise.all([
        create(a, `${b}@${domain.name}`),
        create(b, `${a}@${domain.name}`),
        create(b, 'x@far.example'),
      ]);
      const created = answers.filter(({ status }) => status === 201).map(({ data }) => data);
      const sources = created.map(({ source_local_part: source }) => `${source}@${domain.name}`);
      expect(created.length).toBeGreaterThan(0);
      for (const { destination } of created) expect(sources).not.toContain(destination);
    }
  });

  it('do not apply to a catch-all', async () => {
    await create('', 'ann@far.example');
    expect((await create('a', `b@${domain.name}`)).status).toBe(201);
  });
});

describe('warnings', () => {
  it('report a mailbox that shadows the alias and each local destination that receives nothing, with the reason', async () => {
    await makeMailbox(domain.id, 'ann');
    await makeMailbox(domain.id, 'off', { active: false });
    await makeMailbox(domain.id, 'info');
    const closed = await makeDomain({ active: false });
    await makeMailbox(closed.id, 'bo');
    const [off, nobody] = [`Off@${domain.name}`, `nobody@${domain.name}`];
    const { data } = await create('info', `ann@${domain.name},${off},${nobody},bo@${closed.name},x@far.example`);
    expect(data.warnings).toEqual([
      {
        code: 'shadowed_by_mailbox',
        destination: null,
        message: 'A mailbox has this address and receives its mail instead of the alias.',
      },
      {
        code: 'destination_inactive',
        destination: off.toLowerCase(),
        message: `The mailbox ${off.toLowerCase()} is inactive, so it receives nothing.`,
      },
      {
        code: 'destination_not_found',
        destination: nobody,
        message: `${nobody} has no mailbox, so it receives nothing.`,
      },
      {
        code: 'destination_domain_inactive',
        destination: `bo@${closed.name}`,
        message: `The domain of bo@${closed.name} is inactive, so it receives nothing.`,
      },
    ]);
    const [listed] = (await api.get(`/aliases?domain_id=${domain.id}`)).data;
    expect(listed.warnings).toEqual(data.warnings);
  });
});
