import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { holdLocksOf, untilBlocked } from '@/test/locks';
import { keyClient } from '@/test/rest';

const api = await keyClient({ role: 'admin' });
const other = await keyClient({ role: 'admin' });

type Domain = { id: string; name: string };

const create = (domain: Domain, source: string, destination: string, by = api) =>
  by.post('/aliases', { domain_id: domain.id, source_local_part: source, destination });

/** Keeps every new alias of a domain waiting, as another instance in the middle of a long write would. */
const block = ({ id }: Domain) => holdLocksOf('SELECT 1 FROM domain WHERE id = $1 FOR UPDATE', [id]);

const aliasesOf = ({ id }: Domain) => db.alias.count({ where: { domainId: id } });

it('many alias changes of one domain don’t delay those of another', async () => {
  const [busy, free] = [await makeDomain(), await makeDomain()];
  const release = await block(busy);
  const waiting = Array.from({ length: 20 }, (_, i) => create(busy, `a${i}`, 'x@far.example'));
  await untilBlocked();
  expect((await create(free, 'info', 'x@far.example', other)).status).toBe(201);
  expect((await create(free, 'sales', 'x@far.example')).status).toBe(201);
  expect(await aliasesOf(busy)).toBe(0);
  await release();
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([201]));
});

it('a chain across two domains can’t be created by concurrent requests', async () => {
  const [one, two] = [await makeDomain(), await makeDomain()];
  for (let round = 0; round < 10; round++) {
    const source = `a${round}`;
    const answers = await Promise.all([
      create(one, source, `${source}@${two.name}`),
      create(two, source, `${source}@${one.name}`, other),
      create(two, source, 'x@far.example'),
    ]);
    const created = answers.filter(({ status }) => status === 201).map(({ data }) => data);
    expect(created.length).toBeGreaterThan(0);
    const addresses = created.map(({ address }) => address);
    for (const { destination } of created) expect(addresses).not.toContain(destination);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  }
});

it('a domain is added after the alias changes in progress, which may have it as a destination', async () => {
  const domain = await makeDomain();
  const name = `${unique()}.example`;
  const release = await block(domain);
  const alias = create(domain, 'info', `ann@${name}`);
  await untilBlocked();
  const added = other.post('/domains', { name });
  await expect
    .poll(
      async () =>
        (await db.$queryRaw<unknown[]>`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`).length,
    )
    .toBe(1);
  expect(await db.domain.count({ where: { name } })).toBe(0);
  await release();
  expect([(await alias).status, (await added).status]).toEqual([201, 201]);
});
