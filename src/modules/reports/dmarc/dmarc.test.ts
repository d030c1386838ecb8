import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeAlias, makeDomain, makeMailbox, unique } from '@/test/factories';
import type { ReportFields } from '@/test/reports/dmarc-report';
import { day, makeReportedDomain, uploadDmarc } from '@/test/reports/upload';
import type { Client } from '@/test/rest';

let domain: { id: string; name: string };
let api: Client;

beforeEach(async () => {
  ({ domain, api } = await makeReportedDomain());
});

const upload = (fields: Partial<ReportFields> = {}, as = api) => uploadDmarc(as, { domain: domain.name, ...fields });

const dmarc = async (period = '30d') => (await api.get(`/domains/${domain.id}/dmarc?period=${period}`)).data;

async function publish(purpose: string, found: string[]) {
  const record = {
    domainId: domain.id,
    purpose,
    type: 'TXT',
    name: unique(),
    position: 0,
    status: 'ok',
    severity: 'ok',
  };
  const at = new Date();
  await db.dnsRecord.create({ data: { ...record, found, required: true, message: '', changedAt: at, checkedAt: at } });
}

describe('the results of a domain', () => {
  it('are empty before the first report', async () => {
    expect(await dmarc('7d')).toMatchObject({
      period: '7d',
      totals: { reports: 0, messages: 0 },
      sources: [],
      sources_total: 0,
      simulation: { quarantine: { messages: 0, sources: [] }, reject: { messages: 0 } },
      dropped: [],
      policy: { record: null, p: null, rua: [], reports_to_us: false },
      recommendation: { policy: 'none', record: `v=DMARC1; p=none; rua=mailto:dmarc-reports@${domain.name}` },
    });
  });

  it('add up reports by source and by day', async () => {
    await upload({
      day: day(2),
      rows: [
        { ip: '192.0.2.1', count: 10 },
        { ip: '192.0.2.9', count: 4, dkim: 'fail', spf: 'fail', disposition: 'quarantine', signer: 'evil.example' },
      ],
    });
    await upload({
      day: day(1),
      organisation: 'b.example',
      rows: [
        { ip: '192.0.2.1', count: 5, spf: 'fail' },
        { ip: '192.0.2.1', count: 1, dkim: 'fail', spf: 'fail', disposition: 'reject' },
      ],
    });
    const { totals, sources, series } = await dmarc('7d');
    expect(totals).toEqual({
      reports: 2,
      organisations: 2,
      messages: 20,
      aligned: 15,
      dkim_aligned: 15,
      spf_aligned: 10,
      failed: 5,
      unknown: 0,
      quarantined: 4,
      rejected: 1,
    });
    expect(sources).toMatchObject([
      {
        ip: '192.0.2.1',
        messages: 16,
        aligned: 15,
        spf_aligned: 10,
        advice: 'fix',
        disposition: { none: 15, quarantine: 0, reject: 1 },
        dkim_domains: [domain.name],
        first_seen: `${day(2)}T00:00:00.000Z`,
        last_seen: `${day(1)}T23:59:59.000Z`,
      },
      {
        ip: '192.0.2.9',
        messages: 4,
        aligned: 0,
        advice: 'block',
        dkim_domains: ['evil.example'],
        reason: expect.stringContaining('evil.example'),
      },
    ]);
    expect(series).toHaveLength(8);
    expect(series.slice(-3)).toEqual([
      { at: `${day(2)}T00:00:00.000Z`, aligned: 10, failed: 4 },
      { at: `${day(1)}T00:00:00.000Z`, aligned: 5, failed: 1 },
      { at: `${day(0)}T00:00:00.000Z`, aligned: 0, failed: 0 },
    ]);
  });

  it('add up reports of one organisation about the same day and source', async () => {
    for (const signer of ['a.example', 'b.example']) await upload({ rows: [{ ip: '192.0.2.1', count: 3, signer }] });
    const { totals, sources } = await dmarc('7d');
    expect(totals).toMatchObject({ reports: 2, organisations: 1, messages: 6, aligned: 6, failed: 0 });
    expect(sources).toMatchObject([{ messages: 6, aligned: 6, dkim_domains: ['a.example', 'b.example'] }]);
  });

  it('leave out reports before the period', async () => {
    await upload({ day: day(20) });
    expect((await dmarc('7d')).totals.reports).toBe(0);
    expect((await dmarc('30d')).totals.reports).toBe(1);
  });

  it('name our own addresses: of the mail server, and in the SPF record', async () => {
    await publish('host', ['192.0.2.1']);
    await publish('spf', [
      'v=spf1 mx ip4:198.51.100.0/28 ip4:0.0.0.0/0 ip6:2001:db8::/48 ip6:fe80::1%x/64 ip6:fe80::2%x -all',
    ]);
    const ips = ['192.0.2.1', '198.51.100.3', '2001:db8::9', '203.0.113.5'];
    await upload({ rows: ips.map((ip) => ({ ip, dkim: 'fail', spf: 'fail' })) });
    const { sources } = await dmarc();
    expect(sources.filter(({ is_ours }: { is_ours: boolean }) => is_ours).map(({ ip }: { ip: string }) => ip)).toEqual(
      ips.slice(0, 3),
    );
    expect(sources.map(({ advice }: { advice: string }) => advice)).toEqual(['fix', 'fix', 'fix', 'block']);
  });

  it('say what legitimate mail a stricter policy would have lost', async () => {
    await publish('host', ['192.0.2.1']);
    const failing = { dkim: 'fail', spf: 'fail' } as const;
    await upload({
      rows: [
        { ip: '192.0.2.1', count: 3, ...failing },
        { ip: '192.0.2.2', count: 50 },
        { ip: '192.0.2.2', count: 2, ...failing, disposition: 'quarantine' },
        { ip: '192.0.2.66', count: 40, ...failing },
        { ip: '192.0.2.66', count: 7, ...failing, disposition: 'reject' },
      ],
    });
    expect((await dmarc()).simulation).toEqual({
      quarantine: { messages: 43, legitimate_messages: 3, sources: ['192.0.2.1'] },
      reject: { messages: 45, legitimate_messages: 5, sources: ['192.0.2.1', '192.0.2.2'] },
    });
  });

  it('have the host name of a source once it is known', async () => {
    await upload({ rows: [{ ip: '192.0.2.200' }] });
    expect((await dmarc()).sources).toMatchObject([{ hostname: null, organisation: null }]);
    await db.reportHost.updateMany({
      where: { ip: '192.0.2.200' },
      data: { hostname: 'mx.far.example', organisation: 'far.example' },
    });
    expect((await dmarc()).sources).toMatchObject([{ hostname: 'mx.far.example', organisation: 'far.example' }]);
  });

  it('show the published policy, and whether reports arrive here', async () => {
    const { id } = await makeMailbox(domain.id, 'ops');
    await publish('dmarc', [
      `v=DMARC1; p=quarantine; sp=reject; np=reject; rua=mailto:a@far.example!10m, mailto:OPS@${domain.name}`,
    ]);
    await db.domain.update({ where: { id: domain.id }, data: { dmarcPolicy: 'quarantine' } });
    expect((await dmarc()).policy).toMatchObject({ p: 'quarantine', sp: 'reject', np: 'reject', reports_to_us: false });
    await db.domain.update({ where: { id: domain.id }, data: { reportMailboxId: id } });
    expect((await dmarc()).policy).toMatchObject({ rua: ['a@far.example', `OPS@${domain.name}`], reports_to_us: true });
  });
});

it('reports arrive here at any managed domain, and behind an alias', async () => {
  const other = await makeDomain();
  await publish('dmarc', [`v=DMARC1; p=none; rua=mailto:all@${other.name}`]);
  expect((await dmarc()).policy.reports_to_us).toBe(false);
  const { id } = await makeMailbox(other.id, 'ops');
  await makeAlias(other.id, 'all', `ops@${other.name}`);
  await db.domain.update({ where: { id: other.id }, data: { reportMailboxId: id } });
  expect((await dmarc()).policy.reports_to_us).toBe(true);
});
