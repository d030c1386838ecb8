import { afterAll, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { startDns } from '@/test/servers/dns';
import { setSettings } from '@/test/settings';

const dns = await startDns();
setSettings({ DNS_SERVERS: `127.0.0.1:${dns.port}` });

const TTL_SECONDS = 300;
const api = await keyClient();

afterAll(() => dns.stop());

/** Seconds until the domain is checked again, after a check that found `dmarc`. */
async function secondsAfter(dmarc: string[], changedAt?: Date): Promise<number> {
  const domain = await makeDomain();
  dns.zone = { [`_dmarc.${domain.name}`]: { TXT: dmarc } };
  if (changedAt) {
    await api.post(`/domains/${domain.id}/dns/check`);
    await db.dnsRecord.updateMany({ where: { domainId: domain.id }, data: { changedAt } });
  }
  await db.$executeRaw`UPDATE domain SET next_dns_check_at = now() + interval '1 hour' WHERE id = ${domain.id}::uuid`;
  await api.post(`/domains/${domain.id}/dns/check`);
  const [row] = await db.$queryRaw<[{ seconds: number }]>`
    SELECT extract(epoch FROM next_dns_check_at - now())::float8 AS seconds FROM domain WHERE id = ${domain.id}::uuid`;
  return row.seconds;
}

it('checks a domain again when resolvers forget a record that needs fixing, else after the hour', async () => {
  const soon = await secondsAfter(['v=DMARC1; p=none']);
  expect(soon).toBeGreaterThan(TTL_SECONDS - 60);
  expect(soon).toBeLessThanOrEqual(TTL_SECONDS * 1.2);
  expect(await secondsAfter([])).toBeGreaterThan(3_000);
});

it('checks a domain every hour if nobody has fixed it within a day', async () => {
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  expect(await secondsAfter(['v=DMARC1; p=none'], yesterday)).toBeGreaterThan(3_000);
});

it('keeps where a DMARC policy is inherited from, for the record and for the recommended policy', async () => {
  const domain = await makeDomain();
  const child = await makeDomain({ name: `child.${domain.name}` });
  const record = 'v=DMARC1; p=reject; sp=quarantine';
  dns.zone = { [`_dmarc.${domain.name}`]: { TXT: [record] }, [child.name]: { TXT: ['v=spf1 -all'] } };
  const { records } = (await api.post(`/domains/${child.id}/dns/check`)).data;
  const shown = { found: [record], inherited_from: domain.name, status: 'ok' };
  expect(records.find(({ purpose }: { purpose: string }) => purpose === 'dmarc')).toMatchObject(shown);
  const { policy, recommendation } = (await api.get(`/domains/${child.id}/dmarc`)).data;
  expect(policy).toMatchObject({ inherited_from: domain.name, p: 'quarantine', record });
  expect(recommendation).toMatchObject({ policy: 'quarantine', record });
  await api.post(`/domains/${domain.id}/dns/check`);
  const policies = async (query = '') => {
    const { data } = await api.get(`/domains?q=${domain.name}&sort=name&order=asc${query}`);
    return data.map((each: { dmarc_policy: string }) => each.dmarc_policy);
  };
  expect((await policies()).toSorted()).toEqual(['quarantine', 'reject']);
  expect(await policies('&dmarc_policy=quarantine')).toEqual(['quarantine']);
  dns.zone = { [`_dmarc.${child.name}`]: { TXT: ['v=DMARC1; p=rejekt'] } };
  for (const { id } of [domain, child]) await api.post(`/domains/${id}/dns/check`);
  const other = await makeDomain({ name: `other.${domain.name}` });
  expect(await policies()).toEqual([null, null, null]);
  expect(await policies('&dmarc_policy=missing')).toEqual([null, null]);
  expect((await api.get(`/domains/${other.id}`)).data.dmarc_policy).toBeNull();
});

it('reads the policy for domains without a mail server and address the same for the list and for the recommended policy', async () => {
  const domain = await makeDomain();
  const child = await makeDomain({ name: `child.${domain.name}` });
  dns.zone = { [`_dmarc.${domain.name}`]: { TXT: ['v=DMARC1; p=none; sp=quarantine; np=reject'] } };
  await api.post(`/domains/${child.id}/dns/check`);
  expect((await api.get(`/domains/${child.id}`)).data.dmarc_policy).toBe('reject');
  expect((await api.get(`/domains/${child.id}/dmarc`)).data.policy).toMatchObject({ p: 'reject', np: 'reject' });
});

it('a DMARC policy that could not be looked up is unknown, not missing, and one that was found before is kept', async () => {
  const domain = await makeDomain();
  const name = `_dmarc.${domain.name}`;
  const check = async (found: string[] | 'servfail') => {
    dns.zone = found === 'servfail' ? {} : { [name]: { TXT: found } };
    dns.faults = found === 'servfail' ? { [name]: found } : {};
    await api.post(`/domains/${domain.id}/dns/check`);
    return (await api.get(`/domains/${domain.id}`)).data.dmarc_policy;
  };
  expect(await check('servfail')).toBe('unknown');
  const of = async (policy: string) => (await api.get(`/domains?q=${domain.name}&dmarc_policy=${policy}`)).data;
  expect(await of('missing')).toEqual([]);
  expect(await of('unknown')).toMatchObject([{ id: domain.id }]);
  expect((await api.get(`/domains/${domain.id}/dmarc`)).data.policy.p).toBeNull();
  expect(await check(['v=DMARC1; p=reject'])).toBe('reject');
  expect(await check('servfail')).toBe('reject');
  expect(await check([])).toBeNull();
  expect(await check('servfail')).toBeNull();
});
