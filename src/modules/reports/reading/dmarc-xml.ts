import ipaddr from 'ipaddr.js';
import { SaxesParser } from 'saxes';
import { normalizeDomainName } from '@/lib/mail/address';
import {
  type DmarcRow,
  type FoundPolicy,
  LIMITS,
  type ParsedDmarc,
  plain,
  timeRange,
  UnreadableReport,
} from './report';

/** Reads an aggregate report of RFC 7489 or RFC 9990. Elements that neither knows are skipped. @throws UnreadableReport */
export async function parseDmarcXml(texts: AsyncIterable<string>, maxRows: number): Promise<ParsedDmarc> {
  const reading = createReading(maxRows);
  const parser = new SaxesParser({ position: false });
  const names: string[] = [];
  let value: string | null = null;
  parser.on('doctype', () => {
    throw new UnreadableReport('The XML has a document type declaration, which reports don’t need.');
  });
  parser.on('opentag', ({ name }) => {
    if (names.length >= LIMITS.depth) throw new UnreadableReport('The XML is nested too deeply.');
    names.push(name.slice(name.indexOf(':') + 1));
    if (names.length === 1 && names[0] !== 'feedback') throw new UnreadableReport('The XML is not a DMARC report.');
    value = '';
    reading.open(names.join('/'));
  });
  const collect = (text: string) => {
    if (value !== null && value.length < LIMITS.commentLength) value += text.slice(0, LIMITS.commentLength);
  };
  parser.on('text', collect);
  parser.on('cdata', collect);
  parser.on('closetag', () => {
    const path = names.join('/');
    if (value !== null) reading.value(path, plain(value, LIMITS.commentLength));
    value = null;
    names.pop();
    reading.close(path);
  });
  try {
    for await (const text of texts) parser.write(text);
    parser.close();
  } catch (error) {
    throw error instanceof UnreadableReport ? error : new UnreadableReport('The XML is not well-formed.');
  }
  return reading.report();
}

const ROW = 'feedback/record';
const REASON = `${ROW}/row/policy_evaluated/reason`;
const DKIM = `${ROW}/auth_results/dkim`;
const SPF = `${ROW}/auth_results/spf`;
const POLICY = 'feedback/policy_published/';
const POLICY_TAGS = ['domain', 'p', 'sp', 'np', 'adkim', 'aspf', 'pct', 'fo', 'testing', 'discovery_method'] as const;

type Fields = Record<string, string>;

function createReading(maxRows: number) {
  const head: Fields = {};
  const errors: string[] = [];
  const rows: DmarcRow[] = [];
  let isTruncated = false;
  let row: Fields = {};
  let lists: { dkim: Fields[]; spf: Fields[]; reasons: Fields[] } = { dkim: [], spf: [], reasons: [] };
  let item: Fields = {};
  const itemLists: Record<string, () => Fields[]> = {
    [DKIM]: () => lists.dkim,
    [SPF]: () => lists.spf,
    [REASON]: () => lists.reasons,
  };

  return {
    open(path: string): void {
      if (path === ROW) {
        row = {};
        lists = { dkim: [], spf: [], reasons: [] };
      } else if (itemLists[path]) item = {};
    },
    value(path: string, text: string): void {
      if (path.startsWith(`${DKIM}/`) || path.startsWith(`${SPF}/`) || path.startsWith(`${REASON}/`)) {
        item[path.slice(path.lastIndexOf('/') + 1)] = text;
      } else if (path.startsWith(`${ROW}/`)) row[path.slice(ROW.length + 1)] = text;
      else if (path === 'feedback/report_metadata/error') {
        if (errors.length < LIMITS.listLength) errors.push(text);
      } else if (Object.keys(head).length < MAX_HEAD_FIELDS) head[path] ??= text;
    },
    close(path: string): void {
      const list = itemLists[path]?.();
      if (list && list.length < LIMITS.listLength) list.push(item);
      if (path !== ROW) return;
      if (rows.length < maxRows) rows.push(rowOf(row, lists));
      else isTruncated = true;
    },
    report(): ParsedDmarc {
      return {
        ...headOf(head),
        errors,
        rows: rows.toSorted((one, other) => other.messages - one.messages),
        isTruncated,
      };
    },
  };
}

const MAX_HEAD_FIELDS = 100;

function headOf(head: Fields): Omit<ParsedDmarc, 'errors' | 'rows' | 'isTruncated'> {
  const of = (path: string) => head[`feedback/${path}`] ?? '';
  const domain = normalizeDomainName(of('policy_published/domain'));
  if (!domain) throw new UnreadableReport('The report names no domain.');
  const reportId = plain(of('report_metadata/report_id'));
  if (!reportId) throw new UnreadableReport('The report has no ID.');
  const { begin, end } = timeRange(
    epoch(of('report_metadata/date_range/begin')),
    epoch(of('report_metadata/date_range/end')),
  );
  const tags = POLICY_TAGS.map((tag) => [tag, plain(head[POLICY + tag] ?? '') || null]);
  const contact = plain(of('report_metadata/email'));
  return {
    kind: 'dmarc',
    domain,
    organisation: plain(of('report_metadata/org_name')) || contact || 'unknown',
    contact,
    reportId,
    begin,
    end,
    policy: { ...(Object.fromEntries(tags) as FoundPolicy), domain },
  };
}

function epoch(text: string): Date {
  return new Date(/^\d{1,11}$/.test(text) ? Number(text) * 1000 : Number.NaN);
}

function rowOf(fields: Fields, lists: { dkim: Fields[]; spf: Fields[]; reasons: Fields[] }): DmarcRow {
  const { dkim, spf, reasons } = lists;
  const of = (name: string) => plain(fields[name] ?? '');
  return {
    ip: addressOf(of('row/source_ip')),
    messages: messagesOf(of('row/count')),
    disposition: dispositionOf(of('row/policy_evaluated/disposition')),
    isDkimAligned: of('row/policy_evaluated/dkim').toLowerCase() === 'pass',
    isSpfAligned: of('row/policy_evaluated/spf').toLowerCase() === 'pass',
    headerFrom: of('identifiers/header_from').toLowerCase(),
    envelopeFrom: of('identifiers/envelope_from').toLowerCase() || null,
    envelopeTo: of('identifiers/envelope_to').toLowerCase() || null,
    dkim: dkim.map(({ domain = '', selector = '', result = '' }) => ({
      domain: plain(domain).toLowerCase(),
      selector: plain(selector) || null,
      result: plain(result).toLowerCase(),
    })),
    spf: spf.map(({ domain = '', result = '' }) => ({
      domain: plain(domain).toLowerCase(),
      result: plain(result).toLowerCase(),
    })),
    reasons: reasons.map(({ type = '', comment = '' }) => ({ type: plain(type), comment: comment || null })),
  };
}

/** Without a zone, such as `fe80::1%eth0`, which Postgres refuses. */
function addressOf(text: string): string {
  const isIpv6 = ipaddr.IPv6.isValid(text) && !text.includes('%');
  if (ipaddr.IPv4.isValidFourPartDecimal(text) || isIpv6) return ipaddr.process(text).toString();
  throw new UnreadableReport('The report has a source that is not an IP address.');
}

function messagesOf(text: string): number {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= LIMITS.count)) throw new UnreadableReport('The report has a message count that is not valid.');
  return count;
}

/** RFC 9990 has `pass` for mail to which no policy applied. */
function dispositionOf(text: string): DmarcRow['disposition'] {
  const disposition = text.toLowerCase();
  return disposition === 'quarantine' || disposition === 'reject' ? disposition : 'none';
}
