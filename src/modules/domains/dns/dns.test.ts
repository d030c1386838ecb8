import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { recordRelay } from '@/modules/mail-server/requests';
import { db } from '@/test/database';
import { makeDkimKey, makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startDns } from '@/test/servers/dns';
import { MAIL_ADDRESS, MAIL_ADDRESS_NAME, publishedZone } from '@/test/servers/published-domain';
import { setSettings } from '@/test/settings';
import { dkimRecordValue } from '../dkim/keys';
import { factsOf } from './checking/facts';
import type { DomainFacts } from './records/record';

const dns = await startDns();
setSettings({ DNS_SERVERS: `127.0.0.1:${dns.port}` });

const HOST = 'mail.host.example';

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
let facts: DomainFacts;
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
  dns.ttls = {};
  facts = (await factsOf(db, domain.id)) as DomainFacts;
  dns.zone = publishedZone(facts);
  zoneOf(domain.name).TXT?.push('some-other-service=1');
});

async function check() {
  const { data } = await api.post(`/domains/${domain.id}/dns/check`);
  const records = Object.fromEntries(
    data.records.map((record: Found & { purpose: string }) => [record.purpose, record]),
  );
  return { status: data.status as string, records: records as Record<string, Found>, all: data.records };
}

function zoneOf(name: string) {
  const entry = dns.zone[name] ?? {};
  dns.zone[name] = entry;
  return entry;
}

describe('a check of a domain', () => {
  it('is ok if everything is published, and stores what it found', async () => {
    const { status, records, all } = await check();
    expect(records).toMatchObject(
      Object.fromEntries(
        ['mx', 'spf', 'dkim', 'dmarc', 'host', 'ptr', 'tls_rpt', 'srv', 'ownership'].map((purpose) => [
          purpose,
          { status: 'ok' },
        ]),
      ),
    );
    expect(status).toBe('ok');
    expect(records.spf?.found).toEqual(['v=spf1 mx -all']);
    expect((await api.get(`/domains/${domain.id}/dns`)).data.records).toEqual(all);
    expect((await api.get(`/domains/${domain.id}`)).data).toMatchObject({
      dns_status: 'ok',
      verified_at: expect.any(String),
    });
    expect((await api.get(`/audit?resource=domain:${domain.id}`)).data).toMatchObject([
      { action: 'domain.check_dns', outcome: 'success', details: { status: 'ok' } },
    ]);
  });

  it('is preceded by what to publish, for which nothing is looked up', async () => {
    dns.faults = { [domain.name]: 'servfail' };
    const before = (await api.get(`/domains/${domain.id}/dns`)).data;
    expect(before).toMatchObject({ status: 'unchecked', checked_at: null });
    const unchecked = { status: 'unchecked', severity: 'info', found: [], changed_at: null, checked_at: null };
    for (const record of before.records) expect(record).toMatchObject(unchecked);
    const named = ({ purpose, type, name, expected, required }: Found & Record<string, unknown>) =>
      [purpose, type, name, expected, required].join(' ');
    const checked = new Set((await check()).all.map(named));
    expect(before.records.map(named).filter((record: string) => !checked.has(record))).toEqual([]);
    expect(before.records.find(({ purpose }: { purpose: string }) => purpose === 'dkim').expected).toBe(dkim.value);
    expect((await api.get(`/domains/${domain.id}/dns`)).data.records[0].status).not.toBe('unchecked');
  });

  it('reports what is missing, and whether mail depends on it', async () => {
    dns.zone = {};
    const { status, records } = await check();
    expect(status).toBe('error');
    expect(records).toMatchObject({
      mx: { status: 'missing', severity: 'error' },
      spf: { status: 'missing', severity: 'error' },
      dkim: { status: 'missing', severity: 'error' },
      dmarc: { status: 'missing', severity: 'error' },
      host: { status: 'missing', severity: 'error' },
      mta_sts: { status: 'missing', severity: 'info' },
      tls_rpt: { status: 'missing', severity: 'info' },
      srv: { status: 'missing', severity: 'info' },
      ownership: { status: 'missing', severity: 'info' },
    });
    expect(records.dkim).toMatchObject({ name: dkim.name, expected: dkim.value, found: [] });
  });

  it('asks for the include of the relay as soon as RELAY_SPF is set', async () => {
    zoneOf('_spf.relay.example').TXT = ['v=spf1 ip4:198.51.100.7 -all'];
    await api.patch('/config', { values: { RELAY_SPF: '_spf.relay.example' } });
    const expected = 'v=spf1 mx include:_spf.relay.example -all';
    expect((await check()).records.spf).toMatchObject({ status: 'mismatch', severity: 'error', expected });
    zoneOf(domain.name).TXT = [expected];
    expect((await check()).records.spf).toMatchObject({ status: 'ok' });
    await api.patch('/config', { values: { RELAY_SPF: null } });
    await recordRelay(db, HOST, { destination: 'smtp.relay.example', user: '', tls: 'may', isTlsFromStart: false });
    expect((await check()).records.spf).toMatchObject({
      ...{ expected: 'v=spf1 mx -all', severity: 'warning' },
      message: expect.stringContaining('through smtp.relay.example'),
    });
    await recordRelay(db, HOST, null);
    expect((await check()).records.spf).toMatchObject({ status: 'ok' });
  });

  it('keeps the last result of a record while its lookup fails', async () => {
    await check();
    dns.faults = { [dkim.name]: 'servfail', [`MX ${domain.name}`]: 'refused' };
    const { status, records } = await check();
    expect([status, records.dkim?.status, records.mx?.status]).toEqual(['ok', 'ok', 'ok']);
    dns.faults = { [HOST]: 'servfail', [`A ${HOST}`]: 'refused' };
    const again = (await check()).records;
    expect([again.mx?.status, again.host_spf?.status]).toEqual([records.mx?.status, records.host_spf?.status]);
  });

  it('finds the mail server by its name while its agent is stopped', async () => {
    await db.mailAgent.deleteMany();
    await db.mailCursor.create({ data: { source: `${HOST} log`, file: 'a', position: '1' } });
    onTestFinished(async () => void (await db.mailCursor.deleteMany()));
    expect((await check()).records.mx).toMatchObject({ status: 'ok', expected: `10 ${HOST}` });
  });

  it('keeps the results of addresses while the host has no answer', async () => {
    zoneOf(MAIL_ADDRESS_NAME).PTR = ['other.host.example'];
    await check();
    dns.faults = { [HOST]: 'servfail' };
    expect((await check()).records.ptr).toMatchObject({ severity: 'warning', found: ['other.host.example'] });
    dns.faults = {};
    delete zoneOf(HOST).A;
    expect((await check()).records.ptr).toBeUndefined();
  });

  it('records an IPv6 address that appears or disappears', async () => {
    await check();
    zoneOf(HOST).AAAA = ['2001:db8::25'];
    await check();
    delete zoneOf(HOST).AAAA;
    await check();
    const { data } = await api.get(`/domains/${domain.id}/dns/history`);
    expect(data.filter(({ type }: { type: string }) => type === 'AAAA')).toMatchObject([
      { before: ['2001:db8::25'], after: [], status: 'missing' },
      { before: [], after: ['2001:db8::25'], status: 'ok' },
    ]);
  });

  it('lists no IPv6 address that was never found while the host has no answer', async () => {
    await check();
    dns.faults = { [HOST]: 'servfail' };
    await check();
    const isIpv6 = ({ type }: { type: string }) => type === 'AAAA';
    expect((await api.get(`/domains/${domain.id}/dns`)).data.records.filter(isIpv6)).toEqual([]);
    expect((await api.get(`/domains/${domain.id}/dns/history`)).data.filter(isIpv6)).toEqual([]);
  });

  it('records no change if a record was never there, although the first lookup of it failed', async () => {
    delete zoneOf(dkim.name).TXT;
    dns.faults = { [dkim.name]: 'servfail' };
    expect((await check()).records.dkim?.status).toBe('temporary_error');
    dns.faults = {};
    expect((await check()).records.dkim?.status).toBe('missing');
    const { data } = await api.get(`/domains/${domain.id}/dns/history`);
    expect(data.filter(({ purpose }: { purpose: string }) => purpose === 'dkim')).toEqual([]);
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

describe('a hostile zone', () => {
  it('is stored, with a character cut in half and a lifetime that is none', async () => {
    const name = `_dmarc.${domain.name}`;
    zoneOf(name).TXT = [`${'v=DMARC1; p=reject; x='.padEnd(4_095, 'x')}\u{1f4a5}`];
    dns.ttls = { [name]: 2 ** 31 };
    const { records } = await check();
    expect(records.dmarc).toMatchObject({ found: [expect.stringMatching(/x\ufffd$/)], ttl: 0 });
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
    const { records } = await check();
    const [shown] = (await api.get(`/abuse/alerts?domain_id=${domain.id}`)).data as { details: string }[];
    expect(Object.values(records).map(({ message }) => `${message} 1 more record needs a fix.`)).toContain(
      shown?.details,
    );
    dns.zone = published;
    await check();
    expect(await alerts()).toEqual([{ ...alert, status: 'closed' }]);
  });

  describe('of records that are broken', () => {
    const broken = () => ({ kind: 'dns_broken', subject: domain.name, count: 2, status: 'open' });
    const domainAlerts = () =>
      db.alert.findMany({
        where: { subject: domain.name },
        select: { kind: true, subject: true, count: true, status: true },
        orderBy: { createdAt: 'asc' },
      });

    beforeEach(async () => {
      await check();
      dns.zone = { ...dns.zone, [domain.name]: {} };
      await check();
      expect(await alerts()).toEqual([broken()]);
    });

    it('has as many as the last check found', async () => {
      delete dns.zone[dkim.name];
      await check();
      expect(await alerts()).toEqual([{ ...broken(), count: 3 }]);
    });

    it('closes with the domain, stays closed, and opens again with it', async () => {
      await api.patch(`/domains/${domain.id}`, { active: false });
      const closed = { ...broken(), status: 'closed' };
      expect(await alerts()).toEqual([closed]);
      await check();
      expect(await alerts()).toEqual([closed]);
      await api.patch(`/domains/${domain.id}`, { active: true });
      expect(await domainAlerts()).toEqual([closed, broken()]);
    });

    it('closes when the domain is deleted, like the alerts of its webhooks', async () => {
      const alert = { severity: 'critical', count: 30, expected: 0, domainId: domain.id } as const;
      const subject = `hooks.${domain.name}`;
      await db.alert.create({ data: { ...alert, kind: 'webhook_failing', subject } });
      await db.alert.create({ data: { ...alert, kind: 'volume_spike', subject, day: new Date() } });
      expect((await api.delete(`/domains/${domain.id}`)).status).toBe(200);
      expect(await domainAlerts()).toEqual([{ ...broken(), status: 'closed' }]);
      const others = await db.alert.findMany({ where: { subject }, orderBy: { kind: 'asc' } });
      expect(others).toMatchObject([
        { kind: 'volume_spike', status: 'open' },
        { kind: 'webhook_failing', status: 'closed', isResolved: true },
      ]);
    });
  });
});

describe('the zone file', () => {
  const zone = async (query = '') => (await api.download(`/domains/${domain.id}/dns/zone${query}`)).text();

  it('makes every record right when it is published', async () => {
    dns.zone = { [HOST]: { A: [MAIL_ADDRESS] }, [MAIL_ADDRESS_NAME]: { PTR: [HOST] } };
    for (const line of (await zone()).split('\n')) {
      const [, name, type, value = ''] = /^(\S+)\. \d+ IN (\S+) (.*)$/.exec(line) ?? [];
      if (name === undefined || type === undefined) continue;
      const text = type === 'TXT' ? value.slice(1, -1).replaceAll('" "', '') : value.replace(/\.$/, '');
      zoneOf(name)[type] = [...(zoneOf(name)[type] ?? []), text];
    }
    expect((await check()).status).toBe('ok');
  });

  it('says that a service is not offered, and publishes no retired key', async () => {
    const retired = await makeDkimKey(domain.id, { status: 'retired' });
    const text = await zone();
    expect(text).toContain(`_pop3._tcp.${domain.name}. 3600 IN SRV 0 0 0 .\n`);
    expect(text).not.toContain(retired.selector);
  });

  it('has only what is missing, on demand', async () => {
    delete dns.zone[`_dmarc.${domain.name}`];
    await check();
    expect((await zone('?only=missing')).split('\n').filter((line) => line.includes(' IN '))).toEqual([
      `_dmarc.${domain.name}. 3600 IN TXT "v=DMARC1; p=quarantine; rua=mailto:dmarc-reports@${domain.name}"`,
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
