import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { makeDomain } from '@/test/factories';
import { dmarcXml } from '@/test/reports/dmarc-report';
import { keyClient } from '@/test/rest';
import { LIMITS } from '../reading/report';
import { CAPS } from './caps';

it('a report with as many rows as are read, each from another source, is stored, and as many of its sources as a day may have', async () => {
  const domain = await makeDomain();
  const api = await keyClient();
  const day = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  const [head = '', tail = ''] = dmarcXml({ domain: domain.name, day, rows: [] }).split('</policy_published>');
  const row = (n: number) =>
    `<record><row><source_ip>10.${n >> 16}.${(n >> 8) & 255}.${n & 255}</source_ip><count>2</count><policy_evaluated><dkim>pass</dkim></policy_evaluated></row></record>`;
  const rows = Array.from({ length: LIMITS.rows + 1 }, (_, n) => row(n)).join('');
  const content = gzipSync(`${head}</policy_published>${rows}${tail}`).toString('base64');
  const { status, data } = await api.post('/dmarc/reports', { content });
  expect([status, data.status]).toEqual([200, 'stored']);
  expect((await api.get(`/dmarc/reports/${data.report.id}`)).data).toMatchObject({
    rows_total: LIMITS.rows,
    truncated: true,
    rows: { length: 1_000 },
  });
  const { totals, sources_total } = (await api.get(`/domains/${domain.id}/dmarc`)).data;
  expect([totals.messages, sources_total]).toEqual([2 * LIMITS.rows, CAPS.sources]);
}, 180_000);
