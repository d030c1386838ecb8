import { beforeEach, describe, expect, it } from 'vitest';
import type { Tx } from '@/server/database/db';
import { db } from '@/test/database';
import { day, makeReportedDomain, uploadDmarc, uploadTls } from '@/test/reports/upload';
import type { Client } from '@/test/rest';
import { readTotals as readDmarcTotals } from '../dmarc/sums';
import { rangeOf } from '../period';
import { readTotals as readTlsTotals } from '../tls/sums';
import { CAPS } from './caps';

let domain: { id: string; name: string };
let api: Client;

beforeEach(async () => {
  ({ domain, api } = await makeReportedDomain());
});

const FULL = { status: 'rejected', reason: 'too_many' };
const dmarc = async () => (await api.get(`/domains/${domain.id}/dmarc`)).data;
const TWO_ROWS = { dmarc: { rows: [{}, {}] }, tls: { failures: [{}, {}] } };
const upload = { dmarc: uploadDmarc, tls: uploadTls };
const status = async (kind: 'dmarc' | 'tls', organisation = 'far.example') =>
  (await upload[kind](api, { domain: domain.name, organisation, ...TWO_ROWS[kind] })).data;

type Filled = { reports: number; rows?: number; daysAgo?: number; reportedDaysAgo?: number };

/** Stored reports, each of another organisation. */
async function fill(kind: 'dmarc' | 'tls', given: Filled) {
  const { reports, rows = 0, daysAgo = 0, reportedDaysAgo = 2 } = given;
  const receivedAt = new Date(`${day(daysAgo)}T00:00:00Z`);
  const data = Array.from({ length: reports }, (_, n) => ({
    domainId: domain.id,
    fingerprint: Buffer.from(`${daysAgo} ${n}`),
    organisation: `o${n}.example`,
    reportId: `${n}`,
    beginAt: new Date(day(1)),
    endAt: new Date(day(1)),
    rowCount: rows,
    isTruncated: false,
    source: 'upload' as const,
    receivedAt,
  }));
  const sums = { messages: 0, aligned: 0 };
  if (kind === 'dmarc')
    await db.dmarcReport.createMany({ data: data.map((one) => ({ ...one, ...sums, email: '', policy: {} })) });
  const tls = { contact: '', day: new Date(day(reportedDaysAgo)), sessions: 0, failedSessions: 0, policies: [] };
  if (kind === 'tls') await db.tlsReport.createMany({ data: data.map((one) => ({ ...one, ...tls })) });
}

async function reportBy(organisations: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO dmarc_day (domain_id, day, organisation, reports, messages, aligned, dkim_aligned, spf_aligned, quarantined, rejected)
    SELECT ${domain.id}::uuid, ${day(1)}::date, 'o' || n, 1, 2, 1, 1, 1, 0, 0 FROM generate_series(1, ${organisations}::int) AS n`;
}

describe.each(['dmarc', 'tls'] as const)('a %s report is refused once its domain got too much that day', (kind) => {
  it('in reports', async () => {
    await fill(kind, { reports: CAPS.reports - 1 });
    await fill(kind, { reports: 1, daysAgo: 1 });
    expect((await status(kind)).status).toBe('stored');
    expect(await status(kind)).toEqual(FULL);
  });

  it('in rows', async () => {
    await fill(kind, { reports: 1, rows: CAPS.rows - 2 });
    await fill(kind, { reports: 1, rows: CAPS.rows, daysAgo: 1 });
    expect((await status(kind)).status).toBe('stored');
    expect(await status(kind)).toEqual(FULL);
  });
});

it('a report of another organisation is refused once many report about its day', async () => {
  await reportBy(CAPS.organisations);
  expect(await status('dmarc')).toEqual(FULL);
  expect((await status('dmarc', 'o7')).status).toBe('stored');
  await fill('tls', { reports: CAPS.organisations, reportedDaysAgo: 1 });
  expect(await status('tls')).toEqual(FULL);
  expect((await status('tls', 'o7.example')).status).toBe('stored');
});

it('sources beyond those that a day may have count in the totals only', async () => {
  await db.$executeRaw`
    INSERT INTO dmarc_source_day (domain_id, day, ip, messages, aligned, dkim_aligned, spf_aligned, quarantined, rejected,
                                  dkim_domains, spf_domains, first_seen_at, last_seen_at)
    SELECT ${domain.id}::uuid, ${day(1)}::date, '10.1.' || n / 256 || '.' || n % 256, 1, 1, 1, 1, 0, 0, '{}', '{}', now(), now()
      FROM generate_series(1, ${CAPS.sources - 1}::int) AS n`;
  const rows = [
    { ip: '192.0.2.1', count: 5 },
    { ip: '192.0.2.2', count: 6 },
    { ip: '10.1.0.1', count: 7 },
  ];
  await uploadDmarc(api, { domain: domain.name, rows });
  const { sources, sources_total, totals } = await dmarc();
  expect([sources_total, totals.messages]).toEqual([CAPS.sources, 18]);
  expect(sources.slice(0, 3)).toMatchObject([
    { ip: '10.1.0.1', messages: 8 },
    { ip: '192.0.2.2', messages: 6 },
    { messages: 1 },
  ]);
});

it('totals are read as one row per day, however many organisations report', async () => {
  await reportBy(CAPS.organisations);
  await fill('tls', { reports: CAPS.organisations });
  const lengths: number[] = [];
  const $queryRaw = async (...query: Parameters<Tx['$queryRaw']>) => {
    const rows = (await db.$queryRaw(...query)) as unknown[];
    lengths.push(rows.length);
    return rows;
  };
  const counted = { $queryRaw } as unknown as Tx;
  const selected = { domainId: domain.id, range: rangeOf({ period: '7d' }, new Date()) };
  const { totals } = await readDmarcTotals(counted, selected);
  const tls = await readTlsTotals(counted, selected);
  expect(totals).toMatchObject({ organisations: CAPS.organisations, messages: 2 * CAPS.organisations });
  expect(tls.totals).toMatchObject({ organisations: CAPS.organisations, reports: CAPS.organisations });
  expect(lengths).toEqual([2, 2]);
});
