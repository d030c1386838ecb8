import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { dmarcXml, type ReportFields, type Row } from '@/test/reports/dmarc-report';
import { day, makeReportedDomain, uploadDmarc } from '@/test/reports/upload';
import { zip } from '@/test/reports/zip';
import { type Client, expectError, keyClient } from '@/test/rest';

let domain: { id: string; name: string };
let api: Client;

beforeEach(async () => {
  ({ domain, api } = await makeReportedDomain());
});

const upload = (fields: Partial<ReportFields> = {}, as = api) => uploadDmarc(as, { domain: domain.name, ...fields });

const dmarc = async (period = '30d') => (await api.get(`/domains/${domain.id}/dmarc?period=${period}`)).data;

describe('an uploaded report', () => {
  it('is stored, listed and shown with its rows', async () => {
    const rows: Row[] = [
      { ip: '192.0.2.1', count: 5 },
      { ip: '192.0.2.2', count: 9, dkim: 'fail', spf: 'fail' },
    ];
    const { status, data } = await upload({ rows, reportId: 'r-7' });
    expect([status, data.status]).toEqual([200, 'stored']);
    expect(data.report).toMatchObject({
      domain_id: domain.id,
      report_id: 'r-7',
      messages: 14,
      aligned: 5,
      failed: 9,
      source: 'upload',
    });
    expect((await api.get('/dmarc/reports')).data).toEqual([data.report]);
    expect((await api.get(`/dmarc/reports/${data.report.id}`)).data).toMatchObject({
      ...data.report,
      rows_total: 2,
      truncated: false,
      policy: { domain: domain.name, p: 'none' },
      rows: [
        { ip: '192.0.2.2', messages: 9 },
        { ip: '192.0.2.1', messages: 5, dkim_aligned: true },
      ],
    });
    const entry = await db.auditEntry.findFirst({ where: { resource: `dmarc_report:${data.report.id}` } });
    expect(entry).toMatchObject({ action: 'dmarc_report.upload', domainId: domain.id, outcome: 'success' });
  });

  it('is stored once, also if it is uploaded twice at the same time', async () => {
    const same = { reportId: 'twice', rows: [{ count: 3 }] };
    const answers = await Promise.all([upload(same), upload(same), upload(same)]);
    expect(answers.map(({ data }) => data.status).toSorted()).toEqual(['duplicate', 'duplicate', 'stored']);
    expect((await dmarc()).totals).toMatchObject({ reports: 1, messages: 3 });
  });

  it('with the same ID from another organisation is another report', async () => {
    await upload({ reportId: 'same' });
    expect((await upload({ reportId: 'same', organisation: 'other.example' })).data.status).toBe('stored');
  });

  it('about a domain of somebody else or of nobody is refused', async () => {
    const other = await makeDomain();
    expectError(await upload({ domain: other.name }), 403, 'FORBIDDEN');
    expectError(await upload({ domain: 'nowhere.example' }), 404, 'DOMAIN_NOT_FOUND');
    const scoped = await keyClient({ role: 'admin', scopedDomainIds: [domain.id] });
    expectError(await upload({ domain: other.name }, scoped), 403, 'API_KEY_DOMAIN_SCOPE');
    expect((await upload({}, scoped)).data.status).toBe('stored');
  });

  it('about the future, or older than reports are kept, is rejected', async () => {
    for (const daysAgo of [-10, 500]) {
      expect((await upload({ day: day(daysAgo) })).data).toEqual({ status: 'rejected', reason: 'out_of_range' });
    }
  });

  it.each([
    ['no report', 'Hello', 'The file is neither XML nor JSON.'],
    ['XML without a report', '<a><b>', 'The XML is not a DMARC report.'],
    ['an empty report', '<feedback>', 'The report names no domain.'],
    ['a TLS report', JSON.stringify({}), 'The JSON is not a TLS report.'],
  ])('that is %s is refused by name', async (_name, content, message) => {
    const answer = await api.post('/dmarc/reports', { content: Buffer.from(content).toString('base64') });
    expectError(answer, 400, 'VALIDATION_ERROR');
    expect(answer.error.details.fields).toEqual([{ path: 'content', message }]);
  });

  it('is stored without the rows that can’t be read, and says so', async () => {
    const rows: Row[] = [{ ip: '', count: 3 }, { ip: '192.0.2.1', count: 4 }, { count: 'few' }];
    const { data } = await upload({ rows });
    expect(data.report).toMatchObject({ messages: 4, failed: 0 });
    expect((await api.get(`/dmarc/reports/${data.report.id}`)).data).toMatchObject({
      rows_total: 1,
      left_out: [
        { reason: 'The source isn’t an IP address.', count: 1 },
        { reason: 'The number of messages isn’t a valid count.', count: 1 },
      ],
    });
  });

  it('is stored although another file beside it can’t be read', async () => {
    const files = [
      { name: 'a.xml', content: dmarcXml({ domain: domain.name, day: day(1) }) },
      { name: 'b.xml', content: 'no report' },
    ];
    const { data } = await api.post('/dmarc/reports', { content: zip(files).toString('base64') });
    expect((await api.get(`/dmarc/reports/${data.report.id}`)).data.left_out).toEqual([
      { reason: 'Another file in it: The file is neither XML nor JSON.', count: 1 },
    ]);
  });

  it('that doesn’t say whether mail passed counts as no failure', async () => {
    const xml = dmarcXml({ domain: domain.name, day: day(1), rows: [{ count: 500 }] })
      .replace(/<policy_evaluated>.*<\/policy_evaluated>/, '')
      .replace(/<auth_results>[\s\S]*<\/auth_results>/, '');
    const { data } = await api.post('/dmarc/reports', { content: Buffer.from(xml).toString('base64') });
    expect(data.report).toMatchObject({ messages: 500, aligned: 0, failed: 0, unknown: 500 });
    expect(await dmarc()).toMatchObject({
      totals: { messages: 500, failed: 0, unknown: 500 },
      sources: [{ unknown: 500, advice: 'keep' }],
      simulation: { reject: { messages: 0 } },
    });
    const row = { messages: 500, dkim_aligned: null, spf_aligned: null };
    expect((await api.get(`/dmarc/reports/${data.report.id}`)).data.rows).toMatchObject([row]);
  });

  it('of three weeks says how many days it covers', async () => {
    const seconds = (daysAgo: number) => Date.parse(`${day(daysAgo)}T00:00:00Z`) / 1000;
    const { data } = await upload({ begin: seconds(22), end: seconds(1) - 1 });
    expect(data.report.days).toBe(21);
    expect((await upload()).data.report.days).toBe(1);
  });

  it('in something other than base64 is refused', async () => {
    expectError(await api.post('/dmarc/reports', { content: '%%%' }), 400, 'VALIDATION_ERROR');
  });

  it('of thousands of rows is stored whole', async () => {
    const rows = Array.from({ length: 2_500 }, (_, n) => ({ ip: `10.1.${n >> 8}.${n & 255}`, count: 2 }));
    const { data } = await upload({ rows });
    expect((await api.get(`/dmarc/reports/${data.report.id}`)).data).toMatchObject({
      rows_total: 2_500,
      rows: { length: 1_000 },
    });
    expect(await dmarc()).toMatchObject({
      sources_total: 2_500,
      sources: { length: 200 },
      totals: { messages: 5_000 },
    });
  });

  it('that claims more messages than a number holds breaks nothing', async () => {
    const rows = Array.from({ length: 10 }, (_, n) => ({ ip: `10.2.0.${n}`, count: 1_000_000_000 }));
    for (const reportId of ['a', 'b']) expect((await upload({ reportId, rows })).data.status).toBe('stored');
    await db.$executeRaw`UPDATE dmarc_day SET messages = 9223372036854775807 WHERE domain_id = ${domain.id}::uuid`;
    expect((await dmarc()).totals.messages).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('the list of reports', () => {
  it('is filtered by domain, organisation and time', async () => {
    const other = await makeDomain();
    const admin = await keyClient({ role: 'admin' });
    for (const daysAgo of [3, 2, 1]) await upload({ day: day(daysAgo), organisation: `o${daysAgo}.example` }, admin);
    await upload({ domain: other.name }, admin);
    const organisations = async (query: string) =>
      (await admin.get(`/dmarc/reports?domain_id=${domain.id}${query}`)).data.map(
        (report: { organisation: string }) => report.organisation,
      );
    expect(await organisations('')).toEqual(['o1.example', 'o2.example', 'o3.example']);
    expect(await organisations('&organisation=o2.example')).toEqual(['o2.example']);
    expect(await organisations(`&since=${day(2)}T00:00:00Z&until=${day(1)}T00:00:00Z`)).toEqual(['o2.example']);
    expect(await organisations('&limit=1&order=asc')).toEqual(['o3.example']);
  });

  it('has pages', async () => {
    for (const daysAgo of [3, 2, 1]) await upload({ day: day(daysAgo) });
    const first = await api.get('/dmarc/reports?limit=2');
    const second = await api.get(`/dmarc/reports?limit=2&cursor=${first.meta.pagination?.next_cursor}`);
    expect([first.data.length, second.data.length, second.meta.pagination?.has_more]).toEqual([2, 1, false]);
  });

  it('has no report of a domain of somebody else', async () => {
    const { data } = await upload();
    const stranger = await keyClient({ role: 'domain_admin', domainIds: [(await makeDomain()).id] });
    expect((await stranger.get('/dmarc/reports')).data).toEqual([]);
    expectError(await stranger.get(`/dmarc/reports/${data.report.id}`), 404, 'NOT_FOUND');
    expectError(await stranger.get(`/domains/${domain.id}/dmarc`), 404, 'NOT_FOUND');
  });
});
