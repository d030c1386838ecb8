import { randomBytes } from 'node:crypto';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { dmarcXml } from '@/test/reports/dmarc-report';
import { mailWith } from '@/test/reports/report-mail';
import { tlsReport } from '@/test/reports/tls-report';
import { zip } from '@/test/reports/zip';
import { readReports } from './read';
import { readReportsAside, withReports } from './reader';
import { LIMITS } from './report';

const MB = 1024 * 1024;
const XML = dmarcXml({ domain: 'shop.example' });

const read = (content: string | Uint8Array) => readReports({ bytes: Buffer.from(content), isMail: false });

const MIB_OF_SPACES = deflateRawSync(Buffer.alloc(MB, ' '), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
const FINAL_BLOCK = Buffer.from([3, 0]);

/** A deflate stream of 10 MB that starts as a report and unpacks to 10 GB. */
function deflateBomb(): Buffer {
  const start = deflateRawSync('<feedback>', { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([start, ...Array.from({ length: 10_000 }, () => MIB_OF_SPACES), FINAL_BLOCK]);
}

const packed = deflateBomb();
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
const gzipBomb = Buffer.concat([gzipHeader, packed, Buffer.alloc(8)]);
const zipBomb = (claimedBytes: number) => zip([{ name: 'r.xml', content: '', packed, claimedBytes }]);

describe('a file of 10 MB that unpacks to 10 GB is refused', () => {
  it.each([
    ['as gzip', gzipBomb, 'too_large'],
    ['as a zip that admits to it', zipBomb(0xfffffff0), 'too_large'],
    ['as a zip that claims to be small', zipBomb(1_000), 'malformed'],
    ['as a zip that claims to be almost too large', zipBomb(LIMITS.bytes), 'malformed'],
  ])('%s, with memory for a fraction of it', async (_name, bomb, reason) => {
    expect(bomb.byteLength).toBeGreaterThan(9.5 * MB);
    expect(bomb.byteLength).toBeLessThan(LIMITS.compressedBytes);
    const before = process.memoryUsage().rss;
    const { reports, unreadable } = await readReportsAside({ bytes: Uint8Array.from(bomb), isMail: false });
    expect([reports, unreadable]).toMatchObject([[], [{ reason }]]);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * MB);
  });

  it('as a small file, by its ratio', async () => {
    const { unreadable } = await read(gzipSync(`<feedback>${' '.repeat(20 * MB)}`));
    expect(unreadable).toMatchObject([{ reason: 'too_large' }]);
  });
});

it.each(['1.2.3', 'fe80::1%eth0', '192.0.2.1/24', '::ffff:1.2.3.400'])('a row from %s is left out', async (ip) => {
  const { reports } = await read(dmarcXml({ domain: 'shop.example', rows: [{ ip }, {}] }));
  expect(reports).toMatchObject([{ rows: [{ ip: '192.0.2.1' }], leftOut: [{ count: 1 }] }]);
});

describe('a file is refused', () => {
  const entities = Array.from({ length: 9 }, (_, n) => `<!ENTITY a${n + 1} "${`&a${n};`.repeat(10)}">`).join('');
  const laughs = `<?xml version="1.0"?><!DOCTYPE feedback [<!ENTITY a0 "ha">${entities}]><feedback>&a9;</feedback>`;
  const external = `<!DOCTYPE feedback [<!ENTITY f SYSTEM "file:///etc/passwd">]><feedback>&f;</feedback>`;

  it.each([
    ['with a billion laughs', laughs],
    ['with an external entity', external],
    ['with tags that are never closed', `<feedback>${'<record>'.repeat(20_000)}`],
    ['nested deeply', `<feedback>${'<a>'.repeat(1_000)}${'</a>'.repeat(1_000)}</feedback>`],
    ['of another root element', '<html></html>'],
    ['that ends before it begins', dmarcXml({ domain: 'shop.example', begin: 2_000_000_000, end: 1_000_000_000 })],
    ['that covers years', dmarcXml({ domain: 'shop.example', begin: 0 })],
    ['without times', dmarcXml({ domain: 'shop.example', begin: 'x', end: '' })],
    ['without a domain', dmarcXml({ domain: '' })],
    ['that is neither XML nor JSON', 'Hello'],
    ['that is empty', ''],
    ['of deeply nested JSON', '['.repeat(200_000)],
    ['of JSON that is no report', '{"a":1}'],
    ['of broken gzip', gzipSync(XML).subarray(0, 100)],
    ['of broken zip', zip([{ name: 'r.xml', content: XML }]).subarray(0, 100)],
    ['of an encrypted zip', zip([{ name: 'r.xml', content: XML, encrypted: true }])],
    ['of a zip without a report', zip([{ name: 'r.exe', content: 'MZ' }])],
    ['of a zip with many files', zip(Array.from({ length: 60 }, (_, n) => ({ name: `${n}`, content: '' })))],
    ['of random bytes', randomBytes(1_000)],
    ['of random bytes that start as zip', Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(1_000)])],
  ])('%s', async (_name, content) => {
    expect(await read(content)).toMatchObject({ reports: [], unreadable: [{ reason: 'malformed' }] });
  });

  it('larger than 10 MB, in mail too', async () => {
    const large = new Uint8Array(LIMITS.compressedBytes * 2);
    expect(await read(large)).toMatchObject({ unreadable: [{ reason: 'too_large' }] });
    expect(await readReports({ bytes: large, isMail: true })).toMatchObject({ unreadable: [{ reason: 'too_large' }] });
  });
});

it('zip files in a zip file have as many files together as one', async () => {
  const reports = Array.from({ length: 20 }, (_, n) => {
    return { name: `${n}.xml`, content: dmarcXml({ domain: 'shop.example', reportId: `${n}` }) };
  });
  const found = await read(zip(Array.from({ length: 5 }, (_, n) => ({ name: `${n}.zip`, content: zip(reports) }))));
  expect(found.reports).toHaveLength(40);
  expect(found.unreadable).toHaveLength(3);
});

it('JSON that is cut within an escape sequence is read up to there, in a time that grows with its size only', async () => {
  const { reports } = await read(
    `${JSON.stringify(tlsReport({ domain: 'shop.example' })).slice(0, -1)},"x":"${'a'.repeat(MB / 2)}\\`,
  );
  expect(reports).toMatchObject([{ kind: 'tls' }]);
});

it('a report with too many rows says that it is truncated', async () => {
  const row = XML.slice(XML.indexOf('  <record>'), XML.indexOf('</feedback>')).replaceAll(/\s{2,}/g, '');
  const { reports } = await readReportsAside({
    bytes: gzipSync(
      XML.replace('</feedback>', `${row.repeat(LIMITS.rows)}</feedback>`).replaceAll('192.0.2.1', '192.0.2.2'),
    ),
    isMail: false,
  });
  expect(reports).toMatchObject([{ isTruncated: true, rows: { length: LIMITS.rows } }]);
});

describe('many reports at once are read up to a limit, and the rest is counted once', () => {
  const countsOf = ({ reports, unreadable }: Awaited<ReturnType<typeof readReports>>) => [
    reports.length,
    unreadable.length,
    unreadable.at(-1)?.reason,
  ];

  it('in a small file of empty ones', async () => {
    const file = gzipSync('<feedback></feedback>'.repeat(400_000));
    expect(file.byteLength).toBeLessThan(50_000);
    expect(countsOf(await read(file))).toEqual([0, LIMITS.reports + 1, 'too_large']);
  });

  it('in a file of whole ones', async () => {
    const one = XML.slice(XML.indexOf('<feedback'));
    expect(countsOf(await read(`<x>${one.repeat(LIMITS.reports + 20)}</x>`))).toEqual([LIMITS.reports, 1, 'too_large']);
  });

  it('in the files of a zip file', async () => {
    const json = JSON.stringify(Array.from({ length: 5 }, (_, n) => tlsReport({ domain: `shop${n}.example` })));
    const files = Array.from({ length: 40 }, (_, n) => ({ name: `${n}.json`, content: json }));
    expect(countsOf(await read(zip(files)))).toEqual([LIMITS.reports, 1, 'too_large']);
  });

  it('in the attachments of a message', async () => {
    const files = Array.from({ length: 3_000 }, () => ({ type: 'application/xml', content: '<feedback></feedback>' }));
    const { unreadable } = await readReports({ bytes: Buffer.from(mailWith(...files)), isMail: true });
    expect(unreadable.length).toBeLessThanOrEqual(2 * LIMITS.reports);
  });
});

describe('the files of a message', () => {
  const ofRows = (reportId: string, count: number) => {
    const rows = Array.from({ length: count }, () => ({}));
    return { type: 'application/gzip', content: gzipSync(dmarcXml({ domain: 'shop.example', reportId, rows })) };
  };
  const mail = (...files: Parameters<typeof mailWith>) => ({ bytes: Buffer.from(mailWith(...files)), isMail: true });

  it('have as many rows together as one report', async () => {
    const files = [ofRows('d', 16_000), ofRows('c', 15_000), ofRows('b', 10_000), ofRows('a', 10)];
    const { reports, unreadable } = await readReports(mail(...files));
    expect(reports).toMatchObject([
      { reportId: 'a', isTruncated: false, rows: { length: 10 } },
      { reportId: 'b', isTruncated: false, rows: { length: 10_000 } },
      { reportId: 'c', isTruncated: true, rows: { length: LIMITS.rows - 10_010 } },
    ]);
    expect(unreadable).toMatchObject([{ kind: 'dmarc', reason: 'too_large' }]);
  });

  it('are read without the one that takes too long', async () => {
    let seconds = 0;
    const now = () => 1_000 * seconds++;
    const { reports, unreadable } = await readReports(mail(ofRows('slow', 5_000), ofRows('fast', 1)), now);
    expect(reports).toMatchObject([{ reportId: 'fast' }]);
    expect(unreadable).toMatchObject([{ kind: 'dmarc', reason: 'too_large' }]);
  });
});

it('text is bounded, and has nothing that can’t be stored', async () => {
  const json = JSON.stringify(tlsReport({ domain: 'shop.example', organisation: `a\0b\ud800${'x'.repeat(1_000)}` }));
  const { reports } = await read(json);
  expect(reports[0]?.organisation).toMatch(/^a b\ufffdx+$/);
  expect(reports[0]?.organisation).toHaveLength(LIMITS.textLength);
});

it('a worker that fails makes a file unreadable, not the mail', async () => {
  const broken = { bytes: null as unknown as Uint8Array, isMail: false };
  expect(await readReportsAside(broken).catch((error: unknown) => error)).toMatchObject({
    unreadable: [{ reason: 'malformed' }],
  });
});

it('more reports than are read at once are tried again later', async () => {
  const job = () => ({ bytes: new TextEncoder().encode(XML), isMail: false });
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => readReportsAside(job())));
  expect(results.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected', 'rejected']);
  expect(results[5]).toMatchObject({ reason: { apiCode: 'SERVICE_UNAVAILABLE' } });
  expect(await readReportsAside(job())).toMatchObject({ reports: [{ kind: 'dmarc' }] });
});

it('reports count as read until they are stored', async () => {
  const job = () => ({ bytes: new TextEncoder().encode(XML), isMail: false });
  let store = () => {};
  const stored = new Promise<void>((resolve) => {
    store = resolve;
  });
  const storing = Array.from({ length: 4 }, () => withReports(job(), () => stored));
  await expect(readReportsAside(job())).rejects.toMatchObject({ apiCode: 'SERVICE_UNAVAILABLE' });
  store();
  await Promise.all(storing);
  expect(await readReportsAside(job())).toMatchObject({ reports: [{ kind: 'dmarc' }] });
});
