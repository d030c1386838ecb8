import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '@/server/clock';
import { db } from '@/test/database';
import { makeDkimKey, makeDomain, unique } from '@/test/factories';
import { type Answer, expectError, keyClient } from '@/test/rest';
import { dkimRecordValue } from '../dkim/keys';
import { checkDueDomains } from './schedule';

const dns = await vi.hoisted(async () => {
  const { startDns } = await import('@/test/servers/dns');
  const server = await startDns();
  process.env.DNS_SERVERS = `127.0.0.1:${server.port}`;
  return server;
});

const HOST = 'mail.host.example';
const ADDRESS = '192.0.2.25';
const PTR = '25.2.0.192.in-addr.arpa';

type Found = {
  name: string;
  status: string;
  severity: string;
  found: string[];
  message: string;
  expected: string | null;
};

const api = await keyClient();
let domain: { id: string; name: string };
let dkim: { name: string; value: string };

afterAll(() => dns.stop());

/** A domain that has published everything. */
beforeEach(async () => {
  await db.mailAgent.upsert({
    where: { host: HOST },
    create: { host: HOST, instance: crypto.randomUUID(), version: '1', startedAt: new Date(), beatAt: new Date() },
    update: {},
  });
  domain = await makeDomain();
  const key = await makeDkimKey(domain.id);
  dkim = { name: `${key.selector}._domainkey.${domain.name}`, value: dkimRecordValue(key) };
  dns.faults = {};
  dns.zone = {
    [HOST]: { A: [ADDRESS] },
    [PTR]: { PTR: [HOST] },
    [domain.name]: { MX: [`10 ${HOST}`], TXT: ['some-other-service=1', 'v=spf1 mx -all'] },
    [dkim.name]: { TXT: [dkim.value] },
    [`_dmarc.${domain.name}`]: { TXT: ['v=DMARC1; p=reject'] },
    [`_postroom.${domain.name}`]: { TXT: [`postroom-verify=${domain.id}`] },
    [`_submissions._tcp.${domain.name}`]: { SRV: [`0 1 465 ${HOST}`] },
    [`_imaps._tcp.${domain.name}`]: { SRV: [`0 1 993 ${HOST}`] },
  };
});

async function check() {
  const { data } = await api.post(`/domains/${domain.id}/dns/check`);
  const records = Object.fromEntries(
    data.records.map((record: Found & { purpose: string }) => [record.purpose, record]),
  );
  return { status: data.status as string, records: records as Record<string, Found> };
}

function zoneOf(name: string) {
  const entry = dns.zone[name] ?? {};
  dns.zone[name] = entry;
  return entry;
}

describe('a check of a domain', () => {
  it('is ok if everything is published, and stores what it found', async () => {
    const { status, records } = await check();
    const { mta_sts, ...required } = records;
    expect(mta_sts).toMatchObject({ status: 'missing', severity: 'info' });
    expect(Object.entries(required).map(([purpose, record]) => [purpose, record.status])).toEqual(
      ['mx', 'spf', 'dkim', 'dmarc', 'ownership', 'srv', 'host', 'ptr'].map((purpose) => [purpose, 'ok']),
    );
    expect(status).toBe('ok');
    expect(records.spf?.found).toEqual(['v=spf1 mx -all']);
    expect((await api.get(`/domains/${domain.id}/dns`)).data.records).toHaveLength(10);
    expect((await api.get(`/domains/${domain.id}`)).data).toMatchObject({
      dns_status: 'ok',
      verified_at: expect.any(String),
    });
    expect((await api.get(`/audit?resource=domain:${domain.id}`)).data).toMatchObject([
      { action: 'domain.check_dns', outcome: 'success', details: { status: 'ok' } },
    ]);
  });

  it('reports what is missing, and whether mail depends on it', async () => {
    dns.zone = {};
    const { status, records } = await check();
    expect(status).toBe('error');
    expect(Object.entries(records).map(([purpose, record]) => [purpose, record.status, record.severity])).toEqual([
      ['mx', 'missing', 'error'],
      ['spf', 'missing', 'error'],
      ['dkim', 'missing', 'error'],
      ['dmarc', 'missing', 'error'],
      ['mta_sts', 'missing', 'info'],
      ['ownership', 'missing', 'info'],
      ['srv', 'missing', 'info'],
      ['host', 'missing', 'error'],
    ]);
    expect(records.dkim).toMatchObject({ name: dkim.name, expected: dkim.value, found: [] });
  });

  it.each<[string, string, () => void, string, RegExp]>([
    ['mx', 'says that it accepts no mail', () => (zoneOf(domain.name).MX = ['0 .']), 'error', /accepts no mail/],
    [
      'mx',
      'points to another server',
      () => {
        zoneOf(domain.name).MX = [`10 ${HOST}`, '20 mx.far.example'];
        zoneOf('mx.far.example').A = ['198.51.100.1'];
      },
      'error',
      /mx\.far\.example, which is another server/,
    ],
    ['mx', 'points nowhere', () => (zoneOf(domain.name).MX = ['10 gone.far.example']), 'error', /has no address/],
    [
      'mx',
      'points to a CNAME',
      () => {
        zoneOf(domain.name).MX = ['10 cname.example'];
        zoneOf('cname.example').CNAME = [HOST];
      },
      'error',
      /CNAME/,
    ],
    [
      'spf',
      'leaves the mail server out',
      () => (zoneOf(domain.name).TXT = ['v=spf1 ip4:198.51.100.1 -all']),
      'error',
      /doesn’t allow .*192\.0\.2\.25/,
    ],
    ['spf', 'allows everybody', () => (zoneOf(domain.name).TXT = ['v=spf1 mx +all']), 'error', /every server/],
    ['spf', 'has no end', () => (zoneOf(domain.name).TXT = ['v=spf1 mx']), 'error', /every server/],
    ['spf', 'is invalid', () => (zoneOf(domain.name).TXT = ['v=spf1 nonsense:x -all']), 'error', /invalid/],
    [
      'spf',
      'needs too many lookups',
      () => {
        const names = Array.from({ length: 12 }, (_, i) => `s${i}.spf.example`);
        for (const name of names) zoneOf(name).TXT = ['v=spf1 ip4:198.51.100.1 ~all'];
        zoneOf(domain.name).TXT = [`v=spf1 ${names.map((name) => `include:${name}`).join(' ')} mx -all`];
      },
      'error',
      /more than 10 lookups/,
    ],
    [
      'dkim',
      'is another key',
      () => (zoneOf(dkim.name).TXT = ['v=DKIM1; k=rsa; p=MIIBother']),
      'error',
      /not the one that signs/,
    ],
    ['dkim', 'was revoked', () => (zoneOf(dkim.name).TXT = ['v=DKIM1; p=']), 'error', /no valid key/],
    [
      'dmarc',
      'is only watching',
      () => (zoneOf(`_dmarc.${domain.name}`).TXT = ['v=DMARC1; p=none']),
      'warning',
      /policy is none/,
    ],
    ['dmarc', 'is invalid', () => (zoneOf(`_dmarc.${domain.name}`).TXT = ['v=DMARC1; p=maybe']), 'error', /invalid/],
    ['ptr', 'has another name', () => (zoneOf(PTR).PTR = ['vps-1.hoster.example']), 'warning', /another name/],
    [
      'ownership',
      'belongs to another server',
      () => (zoneOf(`_postroom.${domain.name}`).TXT = ['postroom-verify=x']),
      'warning',
      /another server/,
    ],
  ])('finds that the %s record %s', async (purpose, _what, publish, severity, message) => {
    publish();
    const { records } = await check();
    expect(records[purpose]).toMatchObject({ status: 'mismatch', severity, message: expect.stringMatching(message) });
  });

  it.each<[string, () => string]>([
    ['spf', () => domain.name],
    ['dkim', () => dkim.name],
    ['dmarc', () => `_dmarc.${domain.name}`],
  ])('finds that there are two %s records', async (purpose, name) => {
    const texts = zoneOf(name()).TXT ?? [];
    zoneOf(name()).TXT = [...texts, `${texts.at(-1)} `];
    expect((await check()).records[purpose]).toMatchObject({ status: 'multiple', severity: 'error' });
  });

  it('accepts a key that is written differently, and SPF by a redirect or a soft fail', async () => {
    zoneOf(dkim.name).TXT = [dkim.value.replace('v=DKIM1; ', '').replace(/(.{10})$/, ' $1')];
    zoneOf(domain.name).TXT = ['v=spf1 redirect=_spf.example'];
    zoneOf('_spf.example').TXT = [`v=spf1 ip4:${ADDRESS} ~all`];
    expect((await check()).status).toBe('ok');
  });

  it('keeps the last result of a record while its lookup fails', async () => {
    await check();
    dns.faults = { [dkim.name]: 'servfail', [`MX ${domain.name}`]: 'refused' };
    const { status, records } = await check();
    expect([status, records.dkim?.status, records.mx?.status]).toEqual(['ok', 'ok', 'ok']);
  });

  it('says that a lookup failed if there is no earlier result', async () => {
    dns.faults = { [dkim.name]: 'servfail' };
    const { records } = await check();
    expect(records.dkim).toMatchObject({
      status: 'temporary_error',
      severity: 'warning',
      message: expect.stringContaining('SERVFAIL'),
    });
  });
});

describe('an alert', () => {
  const alerts = () =>
    db.alert.findMany({
      where: { domainId: domain.id },
      select: { kind: true, subject: true, count: true, status: true },
    });

  it('opens when required records break, not for a new domain, and closes when they are back', async () => {
    const published = dns.zone;
    dns.zone = {};
    await check();
    expect(await alerts()).toEqual([]);
    dns.zone = published;
    await check();
    dns.zone = { ...published, [domain.name]: {} };
    await check();
    await check();
    const alert = { kind: 'dns_broken', subject: domain.name, count: 2 };
    expect(await alerts()).toEqual([{ ...alert, status: 'open' }]);
    dns.zone = published;
    await check();
    expect(await alerts()).toEqual([{ ...alert, status: 'closed' }]);
  });
});

describe('the zone file', () => {
  const zone = async (query = '') => (await api.download(`/domains/${domain.id}/dns/zone${query}`)).text();

  it('makes every record right when it is published', async () => {
    dns.zone = { [HOST]: { A: [ADDRESS] }, [PTR]: { PTR: [HOST] } };
    for (const line of (await zone()).split('\n')) {
      const [, name, type, value = ''] = /^(\S+)\. \d+ IN (\S+) (.*)$/.exec(line) ?? [];
      if (name === undefined || type === undefined) continue;
      const text = type === 'TXT' ? value.slice(1, -1).replaceAll('" "', '') : value.replace(/\.$/, '');
      zoneOf(name)[type] = [...(zoneOf(name)[type] ?? []), text];
    }
    expect((await check()).status).toBe('ok');
  });

  it('has only what is missing, on demand', async () => {
    delete dns.zone[`_dmarc.${domain.name}`];
    await check();
    expect((await zone('?only=missing')).split('\n').filter((line) => line.includes(' IN '))).toEqual([
      `_dmarc.${domain.name}. 3600 IN TXT "v=DMARC1; p=quarantine"`,
    ]);
  });
});

describe('access', () => {
  it('is limited to the domains of the caller', async () => {
    const assigned = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    expect((await assigned.post(`/domains/${domain.id}/dns/check`)).status).toBe(200);
    const other = await keyClient({ role: 'domain_admin' });
    for (const call of [other.get(`/domains/${domain.id}/dns`), other.post(`/domains/${domain.id}/dns/check`)]) {
      expectError(await call, 404, 'NOT_FOUND');
    }
  });
});

describe('the schedule', () => {
  const due = (ids: string[]) =>
    db.$executeRaw`UPDATE domain SET next_dns_check_at = CASE WHEN id = ANY(${ids}::uuid[]) THEN now() ELSE now() + interval '1 day' END`;
  const checkedAt = async (id: string) => (await db.domain.findUniqueOrThrow({ where: { id } })).dnsCheckedAt;

  it('checks each domain that is due once, over several instances, and keeps its changes', async () => {
    const others = [await makeDomain({ name: `a-${unique()}.example` }), await makeDomain()];
    await due([domain.id, ...others.map(({ id }) => id)]);
    dns.questions = [];
    await Promise.all([checkDueDomains(db, systemClock), checkDueDomains(db, systemClock)]);
    expect(dns.questions.filter((question) => question === `udp MX ${domain.name}`)).toHaveLength(1);
    for (const { id } of [domain, ...others]) expect(await checkedAt(id)).not.toBeNull();
    expect(await db.domain.count({ where: { nextDnsCheckAt: { lt: new Date() } } })).toBe(0);
    const { updatedAt } = await db.domain.findUniqueOrThrow({ where: { id: domain.id } });
    zoneOf(domain.name).MX = ['0 .'];
    await due([domain.id]);
    await checkDueDomains(db, systemClock);
    const { data: changes } = await api.get(`/domains/${domain.id}/dns/history`);
    expect(changes).toContainEqual(
      expect.objectContaining({ purpose: 'mx', before: [`10 ${HOST}`], after: ['0 .'], status: 'mismatch' }),
    );
    const after: Answer = await api.get(`/domains/${domain.id}`);
    expect(after.data).toMatchObject({ dns_status: 'error', updated_at: updatedAt.toISOString() });
  });
});
