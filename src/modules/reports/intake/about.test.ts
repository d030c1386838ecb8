import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { startInbound } from '@/test/mail/sandbox-inbound';
import { expectShortTurns } from '@/test/main-thread';
import { dmarcXml } from '@/test/reports/dmarc-report';
import { mailWith } from '@/test/reports/report-mail';
import { tlsReport } from '@/test/reports/tls-report';
import { day } from '@/test/reports/upload';
import { type Client, expectError, keyClient } from '@/test/rest';
import { mailServerCalls } from '../../messages/service';
import { readReports } from '../reading/read';
import { LIMITS, type ParsedDmarc } from '../reading/report';
import { findReported } from './about';

const { sendRaw } = await startInbound(mailServerCalls(db), { maxMessageBytes: 2 * 1024 * 1024 });
const admin = await keyClient({ role: 'admin' });

const totals = async ({ id }: { id: string }, kind = 'dmarc') =>
  (await admin.get(`/domains/${id}/${kind}?period=7d`)).data.totals;

describe('a DMARC report with rows of a subdomain', () => {
  let parent: { id: string; name: string };

  beforeEach(async () => {
    parent = await makeDomain();
  });

  /** A row of each name, with one message more than the one before. */
  function reportOf(...names: string[]): string {
    let n = 0;
    return dmarcXml({
      domain: parent.name,
      day: day(1),
      rows: names.map((_, index) => ({ count: index + 1 })),
    }).replace(/<header_from>[^<]*/g, () => `<header_from>${names[n++]}`);
  }

  const upload = (xml: string, as: Client = admin) =>
    as.post('/dmarc/reports', { content: Buffer.from(xml).toString('base64') });

  it('is seen at both, at the subdomain with its rows only', async () => {
    const child = await makeDomain({ name: `child.${parent.name}` });
    const deeper = await makeDomain({ name: `deeper.child.${parent.name}` });
    await upload(reportOf(parent.name, child.name, `a.b.${child.name}`, deeper.name, `other.${parent.name}`));
    expect(await totals(parent)).toMatchObject({ reports: 1, messages: 15 });
    expect(await totals(child)).toMatchObject({ reports: 1, messages: 5 });
    expect(await totals(deeper)).toMatchObject({ reports: 1, messages: 4 });
  });

  it('is taken for the subdomain if the parent isn’t managed, by mail too', async () => {
    const child = await makeDomain({ name: `child.${parent.name}` });
    await db.domain.delete({ where: { id: parent.id } });
    const xml = reportOf(parent.name, child.name);
    await sendRaw(mailWith({ type: 'text/xml', content: xml }), `dmarc-reports@${child.name}`);
    expect(await totals(child)).toMatchObject({ reports: 1, messages: 2 });
    const [{ id }] = (await admin.get(`/dmarc/reports?domain_id=${child.id}`)).data;
    expect((await admin.get(`/dmarc/reports/${id}`)).data.left_out).toEqual([
      { reason: 'The row is about a domain that isn’t managed here.', count: 1 },
    ]);
    expect((await upload(xml)).data.status).toBe('duplicate');
  });

  it('is taken for the closest managed domain above a subdomain that isn’t managed, if it came to its address', async () => {
    const child = await makeDomain({ name: `child.${parent.name}` });
    const other = await makeDomain();
    const about = (name: string, count: number) => dmarcXml({ domain: name, day: day(1), rows: [{ count }] });
    const send = (xml: string, to: string) =>
      sendRaw(mailWith({ type: 'text/xml', content: xml }), `dmarc-reports@${to}`);
    await send(about(`shop.${parent.name}`, 1), parent.name);
    await send(about(`a.b.${child.name}`, 2), child.name);
    await send(about(`news.${parent.name}`, 4), other.name);
    expect((await upload(about(`sales.${parent.name}`, 8))).data.status).toBe('stored');
    expect(await totals(parent)).toMatchObject({ reports: 2, messages: 9 });
    expect(await totals(child)).toMatchObject({ reports: 1, messages: 2 });
    const ofChild = await keyClient({ role: 'domain_admin', domainIds: [child.id] });
    expectError(await upload(about(`more.${parent.name}`, 1), ofChild), 403, 'FORBIDDEN');
  });

  it('changes nothing at a subdomain outside of the uploader’s scope', async () => {
    const child = await makeDomain({ name: `child.${parent.name}` });
    const ofParent = await keyClient({ role: 'domain_admin', domainIds: [parent.id] });
    expect((await upload(reportOf(parent.name, child.name), ofParent)).data.status).toBe('stored');
    expect(await totals(child)).toMatchObject({ reports: 0 });
    const ofChild = await keyClient({ role: 'domain_admin', domainIds: [child.id] });
    expectError(await upload(reportOf(parent.name, child.name), ofChild), 403, 'FORBIDDEN');
  });

  it('is divided without holding the main thread, however many long names it has', async () => {
    const child = await makeDomain({ name: `child.${parent.name}` });
    const labels = 'a.'.repeat(80);
    const report = (await readReports({ bytes: Buffer.from(reportOf(child.name)), isMail: false }))
      .reports[0] as ParsedDmarc;
    const rows = Array.from({ length: LIMITS.rows / 2 }, (_, n) => ({
      ...(report.rows[0] as ParsedDmarc['rows'][number]),
      headerFrom: `${n}.${labels}${n % 2 ? child.name : parent.name}`,
    }));
    const divide = () => findReported(db, [{ ...report, rows }], []);
    const [split] = await divide();
    expect(split?.parts.map((part) => [part.domain.name, (part.report as ParsedDmarc).rows.length])).toEqual([
      [parent.name, LIMITS.rows / 2],
      [child.name, LIMITS.rows / 4],
    ]);
    await expectShortTurns(divide);
  });

  it('is not about a domain whose name ends alike', async () => {
    const alike = await makeDomain({ name: `x${parent.name}` });
    await upload(reportOf(alike.name));
    expect(await totals(alike)).toMatchObject({ reports: 0 });
  });
});

describe('a TLS report that names an MX host as the domain', () => {
  const content = (reports: { domain: string; type: string }[]) => {
    const policies = reports.flatMap(({ domain, type }) =>
      tlsReport({ domain, failures: [{}] }).policies.map((one) => ({
        ...one,
        policy: { ...one.policy, 'policy-type': type },
      })),
    );
    return JSON.stringify({ ...tlsReport({ domain: 'x.example', day: day(1) }), policies });
  };
  const send = (reports: { domain: string; type: string }[], to: string) =>
    sendRaw(mailWith({ type: 'application/tlsrpt+json', content: content(reports) }), to);

  async function publishMx({ id, name }: { id: string; name: string }, host: string) {
    const at = new Date();
    const record = {
      domainId: id,
      purpose: 'mx',
      type: 'MX',
      name,
      position: 0,
      status: 'ok',
      severity: 'ok',
    } as const;
    await db.dnsRecord.create({
      data: { ...record, found: [`10 ${host}`], required: true, message: '', changedAt: at, checkedAt: at },
    });
  }

  it('is counted for the domain, with its other policies', async () => {
    const domain = await makeDomain();
    await publishMx(domain, 'mx.host-of-one.example');
    await send(
      [
        { domain: domain.name, type: 'sts' },
        { domain: 'mx.host-of-one.example', type: 'tlsa' },
      ],
      `tls-reports@${domain.name}`,
    );
    expect(await totals(domain, 'tls')).toMatchObject({ reports: 1, sessions: 202, failed_sessions: 2 });
  });

  it('is counted for the one it was sent to, of several with that host', async () => {
    const [one, other] = [await makeDomain(), await makeDomain()];
    await publishMx(one, 'mx.shared.example');
    await publishMx(other, 'mx.shared.example');
    await send([{ domain: 'mx.shared.example', type: 'tlsa' }], `tls-reports@${other.name}`);
    expect(await totals(one, 'tls')).toMatchObject({ reports: 0 });
    expect(await totals(other, 'tls')).toMatchObject({ reports: 1, sessions: 101 });
  });

  it('is counted for the domain that the host is in', async () => {
    const domain = await makeDomain();
    await send([{ domain: `mx.${domain.name}`, type: 'tlsa' }], `tls-reports@${(await makeDomain()).name}`);
    expect(await totals(domain, 'tls')).toMatchObject({ reports: 1 });
  });

  it('is not counted for a host that no domain has, or for another kind of policy', async () => {
    const domain = await makeDomain();
    await send([{ domain: 'mx.nobody.example', type: 'tlsa' }], `tls-reports@${domain.name}`);
    await send([{ domain: `mx.${domain.name}`, type: 'sts' }], `tls-reports@${domain.name}`);
    expect(await totals(domain, 'tls')).toMatchObject({ reports: 0 });
    const { dropped } = (await admin.get(`/domains/${domain.id}/tls?period=7d`)).data;
    expect(dropped).toMatchObject([{ reason: 'foreign_domain', count: 2 }]);
  });
});
