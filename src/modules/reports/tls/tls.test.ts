import { beforeEach, expect, it } from 'vitest';
import { makeDomain } from '@/test/factories';
import { dmarcXml } from '@/test/reports/dmarc-report';
import type { TlsFields } from '@/test/reports/tls-report';
import { day, makeReportedDomain, uploadTls } from '@/test/reports/upload';
import { type Client, expectError, keyClient } from '@/test/rest';

let domain: { id: string; name: string };
let api: Client;

beforeEach(async () => {
  ({ domain, api } = await makeReportedDomain());
});

const upload = (fields: Partial<TlsFields> = {}) => uploadTls(api, { domain: domain.name, ...fields });

const tls = async (period = '30d') => (await api.get(`/domains/${domain.id}/tls?period=${period}`)).data;

it('a report is stored once, listed and shown with its failures', async () => {
  const failures = [{ sessions: 2 }, { type: 'starttls-not-supported', sessions: 5 }];
  const { data } = await upload({ failures, reportId: 't-1' });
  expect(data).toMatchObject({ status: 'stored', report: { sessions: 107, failed_sessions: 7, source: 'upload' } });
  expect((await upload({ failures, reportId: 't-1' })).data).toEqual({ status: 'duplicate' });
  expect((await api.get('/tls/reports')).data).toEqual([data.report]);
  expect((await api.get(`/tls/reports/${data.report.id}`)).data).toMatchObject({
    policies: [{ type: 'sts', mx_hosts: [`mx.${domain.name}`], sessions: 107, failed_sessions: 7 }],
    failures: [
      { result_type: 'starttls-not-supported', meaning: 'The mail server did not offer TLS.', sessions: 5 },
      { result_type: 'certificate-expired', sessions: 2, sending_ip: '192.0.2.9', receiving_ip: null },
    ],
  });
});

it('the results of a domain add up failures by host, kind, organisation and address', async () => {
  await upload({ day: day(2), failures: [{ sessions: 3 }, { type: 'new-kind', sessions: 1 }] });
  await upload({ day: day(1), failures: [{ sessions: 4 }] });
  await upload({ day: day(1), organisation: 'Other', failures: [{ sessions: 9, mx: 'mx2.far.example' }] });
  const { totals, failures, failures_total, series } = await tls('7d');
  expect(totals).toEqual({ reports: 3, organisations: 2, sessions: 317, failed_sessions: 17 });
  expect(failures_total).toBe(3);
  expect(failures).toMatchObject([
    { mx_host: 'mx2.far.example', organisation: 'Other', sessions: 9 },
    {
      mx_host: `mx.${domain.name}`,
      result_type: 'certificate-expired',
      meaning: 'The certificate has expired.',
      sessions: 7,
      first_seen: `${day(2)}T00:00:00.000Z`,
      last_seen: `${day(1)}T23:59:59.000Z`,
    },
    { result_type: 'new-kind', meaning: 'The sender reports a failure of another kind.' },
  ]);
  expect(series.slice(-3)).toMatchObject([
    { sessions: 104, failed_sessions: 4 },
    { at: `${day(1)}T00:00:00.000Z`, sessions: 213, failed_sessions: 13 },
    { sessions: 0 },
  ]);
});

it('the results of a custom period are those of its UTC days, both ends included', async () => {
  for (const before of [5, 4, 3, 2])
    await upload({ day: day(before), reportId: `r-${before}`, failures: [{ sessions: before }] });
  const get = (query: string) => api.get(`/domains/${domain.id}/tls?${query}`);
  const { data } = await get(`period=custom&start=${day(4)}&end=${day(3)}`);
  expect(data).toMatchObject({ period: 'custom', totals: { reports: 2, failed_sessions: 7 } });
  expect(data.start).toBe(`${day(4)}T00:00:00.000Z`);
  expect(data.end).toBe(`${day(3)}T23:59:59.999Z`);
  expect(data.series.map(({ at }: { at: string }) => at.slice(0, 10))).toEqual([day(4), day(3)]);
  expect((await get(`period=custom&start=${day(3)}`)).data.totals).toMatchObject({ reports: 2, failed_sessions: 5 });
  for (const query of [
    'period=custom',
    `period=custom&start=${day(-1)}`,
    `period=custom&start=${day(3)}&end=${day(4)}`,
    `period=7d&start=${day(3)}`,
    'period=custom&start=0001-01-01',
    'period=custom&start=2026-02-30',
    `period=custom&start=${day(3)}T00:00:00Z`,
  ]) {
    expectError(await get(query), 400, 'VALIDATION_ERROR');
  }
});

it.each(['constructor', '__proto__'])('a failure of the kind %s is shown as one of another kind', async (type) => {
  const { data } = await upload({ failures: [{ type }] });
  const failure = { result_type: type, meaning: 'The sender reports a failure of another kind.' };
  expect((await api.get(`/tls/reports/${data.report.id}`)).data).toMatchObject({ failures: [failure] });
  expect(await tls()).toMatchObject({ failures: [failure] });
});

it('the results are empty before the first report', async () => {
  expect(await tls('24h')).toMatchObject({
    totals: { reports: 0, sessions: 0 },
    failures: [],
    series: { length: 2 },
    dropped: [],
  });
});

it('a DMARC report is refused as a TLS report, and a report about a domain of somebody else', async () => {
  const content = Buffer.from(dmarcXml({ domain: domain.name })).toString('base64');
  const answer = expectError(await api.post('/tls/reports', { content }), 400, 'VALIDATION_ERROR');
  expect(answer.error.message).toBe('The file is a DMARC report.');
  expectError(await upload({ domain: (await makeDomain()).name }), 403, 'FORBIDDEN');
  expectError(await upload({ domain: 'nowhere.example' }), 404, 'DOMAIN_NOT_FOUND');
});

it('a report outside the domain scope answers as one that does not exist', async () => {
  const { data } = await upload();
  const stranger = await keyClient({ role: 'domain_admin', domainIds: [(await makeDomain()).id] });
  expect((await stranger.get('/tls/reports')).data).toEqual([]);
  expectError(await stranger.get(`/tls/reports/${data.report.id}`), 404, 'NOT_FOUND');
});
