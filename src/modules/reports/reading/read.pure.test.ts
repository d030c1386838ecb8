import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { dmarcXml } from '@/test/reports/dmarc-report';
import { tlsReport } from '@/test/reports/tls-report';
import { zip } from '@/test/reports/zip';
import { readReports } from './read';

const XML = dmarcXml({
  domain: 'shop.example',
  reportId: 'r-1',
  rows: [{ count: 2 }, { ip: '2001:DB8::0:5', count: 7 }],
});
const JSON_TEXT = JSON.stringify(tlsReport({ domain: 'shop.example', reportId: 't-1', failures: [{ sessions: 3 }] }));

const read = (content: string | Uint8Array) => readReports({ bytes: Buffer.from(content), isMail: false });

function mail(type: string, content: string | Uint8Array, headers = ''): string {
  const body = Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\r\n');
  return `From: a@far.example\r\nSubject: Report\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\n${headers}Content-Transfer-Encoding: base64\r\n\r\n${body}\r\n`;
}

function withAttachment(type: string, content: string | Uint8Array): string {
  const part = mail(type, content).split('\r\n').slice(3).join('\r\n');
  return `From: a@far.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nA report.\r\n--b\r\n${part}\r\n--b--\r\n`;
}

const readMail = (text: string) => readReports({ bytes: Buffer.from(text), isMail: true });

describe('a DMARC report', () => {
  it('is read with its rows, most messages first', async () => {
    expect(await read(XML)).toEqual({
      sender: null,
      unreadable: [],
      reports: [
        expect.objectContaining({
          kind: 'dmarc',
          domain: 'shop.example',
          organisation: 'far.example',
          contact: 'noreply@far.example',
          reportId: 'r-1',
          begin: new Date('2026-11-20T00:00:00Z'),
          end: new Date('2026-11-20T23:59:59Z'),
          isTruncated: false,
          policy: expect.objectContaining({ p: 'none', pct: '100', np: null }),
          rows: [
            expect.objectContaining({ ip: '2001:db8::5', messages: 7, isDkimAligned: true, isSpfAligned: true }),
            expect.objectContaining({
              ip: '192.0.2.1',
              messages: 2,
              spf: [{ domain: 'shop.example', result: 'pass' }],
            }),
          ],
        }),
      ],
    });
  });

  it('of RFC 9990 is read with its new tags, whatever the prefix of its namespace', async () => {
    const text = XML.replace(
      '<sp>none</sp>',
      '<np>reject</np><testing>y</testing><discovery_method>treewalk</discovery_method>',
    )
      .replace('<disposition>none', '<disposition>pass')
      .replaceAll(/<(\/?)(\w+)/g, '<$1d:$2')
      .replace('<d:feedback>', '<d:feedback xmlns:d="urn:ietf:params:xml:ns:dmarc-2.0"><d:version>1.0</d:version>');
    const { reports } = await read(text);
    expect(reports).toMatchObject([
      {
        policy: { np: 'reject', testing: 'y', discovery_method: 'treewalk' },
        rows: [{ disposition: 'none' }, { disposition: 'none' }],
      },
    ]);
  });

  it('keeps why a receiving server did something else, and the errors that it mentions', async () => {
    const text = XML.replace(
      '</policy_evaluated>',
      '<reason><type>forwarded</type><comment>list</comment></reason></policy_evaluated>',
    ).replace('</report_metadata>', '<error>DNS &amp; more</error></report_metadata>');
    const { reports } = await read(text);
    expect(reports).toMatchObject([
      { errors: ['DNS & more'], rows: [{}, { reasons: [{ type: 'forwarded', comment: 'list' }] }] },
    ]);
  });

  it.each([
    ['UTF-16, little endian', Buffer.from(`\ufeff${XML.replace('UTF-8', 'UTF-16')}`, 'utf16le')],
    ['UTF-16 without a byte order mark', Buffer.from(XML, 'utf16le')],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${XML}`)],
    [
      'an older encoding',
      Buffer.from(XML.replace('UTF-8', 'ISO-8859-1').replace('far.example', 'f\u00e4r.example'), 'latin1'),
      'f\u00e4r.example',
    ],
    ['invalid UTF-8', Buffer.from(XML.replace('far.example', 'f\u00e4r.example'), 'latin1'), 'f\u00e4r.example'],
  ])('in %s is read', async (_name, bytes, organisation = 'far.example') => {
    const { reports } = await read(bytes);
    expect(reports).toMatchObject([{ domain: 'shop.example', reportId: 'r-1', organisation }]);
  });

  it('of 10,000 rows is read whole', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      ip: `10.0.${index >> 8}.${index & 255}`,
      count: index,
    }));
    const { reports } = await read(gzipSync(dmarcXml({ domain: 'shop.example', rows })));
    expect(reports[0]).toMatchObject({ isTruncated: false, rows: { length: 10_000, 0: { messages: 9_999 } } });
  });
});

describe('a TLS report', () => {
  it('is read with its failures', async () => {
    const { reports } = await read(JSON_TEXT);
    expect(reports).toMatchObject([
      {
        kind: 'tls',
        domain: 'shop.example',
        organisation: 'Far Mail',
        reportId: 't-1',
        policies: [{ type: 'sts', sessions: 103, failed_sessions: 3, mx_hosts: ['mx.shop.example'] }],
        failures: [{ resultType: 'certificate-expired', mxHost: 'mx.shop.example', sessions: 3, receivingIp: null }],
      },
    ]);
  });

  it('about several domains becomes a report for each', async () => {
    const one = tlsReport({ domain: 'one.example' });
    const two = tlsReport({ domain: 'two.example' });
    const { reports } = await read(JSON.stringify({ ...one, policies: [...one.policies, ...two.policies] }));
    expect(reports.map(({ domain }) => domain)).toEqual(['one.example', 'two.example']);
  });
});

describe('a report is found', () => {
  it.each([
    ['in a gzip file', gzipSync(XML), 'dmarc'],
    ['in a zip file', zip([{ name: 'far!shop.xml', content: XML }]), 'dmarc'],
    [
      'behind other files of a zip file',
      zip([
        { name: 'read.me', content: 'x' },
        { name: 'R.XML', content: XML },
      ]),
      'dmarc',
    ],
    ['as JSON in a gzip file', gzipSync(JSON_TEXT), 'tls'],
  ])('%s', async (_name, bytes, kind) => {
    expect(await read(bytes)).toMatchObject({ reports: [{ kind }], unreadable: [] });
  });

  it.each([
    ['application/zip', zip([{ name: 'r.xml', content: XML }]), 'dmarc'],
    ['application/gzip', gzipSync(XML), 'dmarc'],
    ['text/xml', XML, 'dmarc'],
    ['application/octet-stream; name="far!shop.example!1!2.xml.gz"', gzipSync(XML), 'dmarc'],
    ['application/tlsrpt+gzip', gzipSync(JSON_TEXT), 'tls'],
    ['application/tlsrpt+json', JSON_TEXT, 'tls'],
  ])('in mail as %s, attached or as the body', async (type, content, kind) => {
    expect(await readMail(withAttachment(type, content))).toMatchObject({ reports: [{ kind }], unreadable: [] });
    expect(await readMail(mail(type, content))).toMatchObject({ reports: [{ kind }], unreadable: [] });
  });

  it('in none of the ordinary mail', async () => {
    expect(await readMail('Subject: Hi\r\n\r\nHello.\r\n')).toMatchObject({ reports: [], unreadable: [] });
    expect(await readMail(withAttachment('image/png', 'png'))).toMatchObject({ reports: [], unreadable: [] });
  });
});
