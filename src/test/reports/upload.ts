import { gzipSync } from 'node:zlib';
import { makeDomain } from '@/test/factories';
import { type Client, keyClient } from '@/test/rest';
import { dmarcXml, type ReportFields } from './dmarc-report';
import { type TlsFields, tlsReport } from './tls-report';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The UTC day so many days ago, as `2026-01-31`. */
export function day(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

/** A domain, and the API for an admin of that domain. */
export async function makeReportedDomain() {
  const domain = await makeDomain();
  return { domain, api: await keyClient({ role: 'domain_admin', domainIds: [domain.id] }) };
}

/** Uploads a report of yesterday. */
export function uploadDmarc(as: Client, fields: Partial<ReportFields> & { domain: string }) {
  const content = gzipSync(dmarcXml({ day: day(1), ...fields })).toString('base64');
  return as.post('/dmarc/reports', { content });
}

/** Uploads a report of yesterday. */
export function uploadTls(as: Client, fields: Partial<TlsFields> & { domain: string }) {
  const content = gzipSync(JSON.stringify(tlsReport({ day: day(1), ...fields }))).toString('base64');
  return as.post('/tls/reports', { content });
}
