import { afterAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '@/server/clock';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { type Answer, keyClient } from '@/test/rest';
import { startDns } from '@/test/servers/dns';
import { setSettings } from '@/test/settings';
import { checkDueDomains } from './schedule';

const dns = await startDns();
setSettings({ DNS_SERVERS: `127.0.0.1:${dns.port}` });

const api = await keyClient();

afterAll(() => dns.stop());
beforeEach(() => {
  dns.zone = {};
  dns.faults = {};
  dns.questions = [];
});

/** Makes these domains due, and no others. */
const due = (ids: string[]) =>
  db.$executeRaw`UPDATE domain SET next_dns_check_at = CASE WHEN id = ANY(${ids}::uuid[]) THEN now() ELSE now() + interval '1 day' END`;
const checkedAt = async (id: string) => (await db.domain.findUniqueOrThrow({ where: { id } })).dnsCheckedAt;
const asked = (name: string) => dns.questions.filter((question) => question === `udp MX ${name}`).length;

it('checks each domain that is due once, over several instances, and keeps its changes', async () => {
  const domain = await makeDomain();
  const others = [await makeDomain({ name: `a-${unique()}.example` }), await makeDomain()];
  dns.zone = { [domain.name]: { MX: ['10 mx.far.example'] } };
  await due([domain.id, ...others.map(({ id }) => id)]);
  await Promise.all([checkDueDomains(db, systemClock), checkDueDomains(db, systemClock)]);
  expect(asked(domain.name)).toBe(1);
  for (const { id } of [domain, ...others]) expect(await checkedAt(id)).not.toBeNull();
  expect(await db.domain.count({ where: { nextDnsCheckAt: { lt: new Date() } } })).toBe(0);
  const { updatedAt } = await db.domain.findUniqueOrThrow({ where: { id: domain.id } });
  dns.zone = { [domain.name]: { MX: ['0 .'] } };
  await due([domain.id]);
  await checkDueDomains(db, systemClock);
  const { data: changes } = await api.get(`/domains/${domain.id}/dns/history`);
  expect(changes).toContainEqual(
    expect.objectContaining({ purpose: 'mx', before: ['10 mx.far.example'], after: ['0 .'], status: 'mismatch' }),
  );
  const after: Answer = await api.get(`/domains/${domain.id}`);
  expect(after.data).toMatchObject({ dns_status: 'error', updated_at: updatedAt.toISOString() });
});

it('checks no more domains at once than it may, however many are due', async () => {
  const domains = await Promise.all(Array.from({ length: 6 }, () => makeDomain()));
  await due(domains.map(({ id }) => id));
  dns.faults = Object.fromEntries(domains.map(({ name }) => [`MX ${name}`, 'drop' as const]));
  const started = () => domains.filter(({ name }) => asked(name) > 0);
  const isAskedTwice = () => started().length > 0 && started().every(({ name }) => asked(name) > 1);
  const checking = checkDueDomains(db, systemClock, { atOnce: 2, startEveryMs: 0 });
  // The questions are repeated, by which time the other domains would have been asked about too.
  await expect.poll(isAskedTwice).toBe(true);
  expect(started()).toHaveLength(2);
  dns.faults = {};
  await checking;
  for (const { id } of domains) expect(await checkedAt(id)).not.toBeNull();
});
