import { expect, it } from 'vitest';
import { makeAlias, makeDomain, makeMailbox } from '@/test/factories';
import { keyClient } from '@/test/rest';

const api = await keyClient();

it('the trace of a tagged address explains that it is that of the mailbox or alias without the tag', async () => {
  const domain = await makeDomain();
  const at = (local: string) => `${local}@${domain.name}`;
  const trace = async (local: string) =>
    (await api.get(`/aliases/resolve?address=${encodeURIComponent(at(local))}`)).data;
  const team = await makeAlias(domain.id, 'team', at('ann+team'));
  expect(await trace('team+x')).toMatchObject({ outcome: 'rejected', dropped: [at('ann+team')] });

  const { id } = await makeMailbox(domain.id, 'ann');
  expect(await trace('ann+shop')).toMatchObject({
    address: at('ann+shop'),
    outcome: 'mailbox',
    mailbox_id: id,
    destinations: [at('ann')],
    explanation: `A mailbox has ${at('ann')}, this address without its tag.`,
  });
  expect(await trace('team+x')).toMatchObject({
    outcome: 'alias',
    alias_id: team.id,
    destinations: [at('ann')],
    dropped: [],
  });
  expect((await api.get(`/aliases/${team.id}`)).data.warnings).toEqual([]);
});
