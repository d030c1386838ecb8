import ipaddr from 'ipaddr.js';
import { normalizeDomainName } from '@/lib/mail/address';
import { alignmentOf } from './alignment';
import {
  countIn,
  createLeftOut,
  type DmarcRow,
  type FoundPolicy,
  LIMITS,
  type ParsedDmarc,
  plain,
  timeOf,
  timeRange,
  UnreadablePart,
  UnreadableReport,
  withoutServiceLabels,
} from './report';
import { readXml } from './xml';

/**
 * Reads aggregate reports of RFC 7489 or RFC 9990, as far as they go. Elements that neither knows are skipped, also around a
 * report. @param most how many rows and reports are read; of one report more, that it is there
 * @throws UnreadableReport for a file without one
 */
export async function parseDmarcXml(
  texts: AsyncIterable<string>,
  most: { rows: number; reports: number },
): Promise<(ParsedDmarc | UnreadableReport)[]> {
  const found: (ParsedDmarc | UnreadableReport)[] = [];
  let reading: ReturnType<typeof createReading> | null = null;
  let rowsLeft = most.rows;
  const finish = (isCut: boolean) => {
    if (!reading || reading.isEmpty() || isOver()) return;
    const report = readable(() => reading?.report(isCut) as ParsedDmarc);
    if (!(report instanceof UnreadableReport)) rowsLeft -= report.rows.length;
    found.push(report);
    reading = null;
  };
  const isOver = () => found.length > most.reports;
  await readXml(until(isOver, texts), ROOT, {
    open(path) {
      if (path === ROOT) reading = createReading(rowsLeft);
      reading?.open(path);
    },
    value: (path, text) => reading?.value(path, plain(text, LIMITS.commentLength)),
    close(path, isCut) {
      reading?.close(path, isCut);
      if (path === ROOT) finish(isCut);
    },
  });
  if (found.length === 0) throw new UnreadableReport('The XML is not a DMARC report.');
  return found;
}

async function* until(isOver: () => boolean, texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) {
    if (isOver()) return;
    yield text;
  }
}

function readable(read: () => ParsedDmarc): ParsedDmarc | UnreadableReport {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableReport) return error;
    throw error;
  }
}

const ROOT = 'feedback';
const ROW = 'feedback/record';
const REASON = `${ROW}/row/policy_evaluated/reason`;
const DKIM = `${ROW}/auth_results/dkim`;
const SPF = `${ROW}/auth_results/spf`;
const POLICY = 'feedback/policy_published/';
const POLICY_TAGS = ['domain', 'p', 'sp', 'np', 'adkim', 'aspf', 'pct', 'fo', 'testing', 'discovery_method'] as const;

type Fields = Record<string, string>;
type Lists = { dkim: Fields[]; spf: Fields[]; reasons: Fields[] };
type RawRow = { fields: Fields; lists: Lists };

function createReading(maxRows: number) {
  const head: Fields = {};
  const errors: string[] = [];
  const rows: DmarcRow[] = [];
  const leftOut = createLeftOut();
  let rowsOverLimit = 0;
  let row: RawRow = emptyRow();
  let item: Fields = {};
  const itemLists: Record<string, () => Fields[]> = {
    [DKIM]: () => row.lists.dkim,
    [SPF]: () => row.lists.spf,
    [REASON]: () => row.lists.reasons,
  };

  return {
    isEmpty: () => Object.keys(head).length === 0 && rows.length === 0,
    open(path: string): void {
      if (path === ROW) row = emptyRow();
      else if (itemLists[path]) item = {};
    },
    value(path: string, text: string): void {
      if (path.startsWith(`${DKIM}/`) || path.startsWith(`${SPF}/`) || path.startsWith(`${REASON}/`)) {
        item[path.slice(path.lastIndexOf('/') + 1)] = text;
      } else if (path.startsWith(`${ROW}/`)) row.fields[path.slice(ROW.length + 1)] = text;
      else if (path === 'feedback/report_metadata/error') {
        if (errors.length < LIMITS.listLength) errors.push(text);
      } else if (Object.keys(head).length < MAX_HEAD_FIELDS) head[path] ??= text;
    },
    close(path: string, isCut: boolean): void {
      const list = itemLists[path]?.();
      if (list && list.length < LIMITS.listLength) list.push(item);
      if (path !== ROW) return;
      if (isCut) leftOut.add('The file ends within the row.');
      else if (rows.length >= maxRows) rowsOverLimit += 1;
      else rows.push(...leftOut.attempt(() => rowOf(row, head)));
    },
    report(isCut: boolean): ParsedDmarc {
      if (rowsOverLimit > 0) leftOut.add('The row is beyond the limit of rows.', rowsOverLimit);
      if (isCut) leftOut.add('The file ends before the report does.');
      return {
        ...headOf(head, rows, leftOut.add),
        errors,
        rows: rows.toSorted((one, other) => other.messages - one.messages),
        isTruncated: rowsOverLimit > 0,
        leftOut: leftOut.list(),
      };
    },
  };
}

const MAX_HEAD_FIELDS = 100;

function emptyRow(): RawRow {
  return { fields: {}, lists: { dkim: [], spf: [], reasons: [] } };
}

function headOf(
  head: Fields,
  rows: DmarcRow[],
  onLeftOut: (reason: string) => void,
): Omit<ParsedDmarc, 'errors' | 'rows' | 'isTruncated' | 'leftOut'> {
  const of = (path: string) => head[`feedback/${path}`] ?? '';
  const domain = domainIn(of('policy_published/domain')) ?? domainIn(rows[0]?.headerFrom ?? '');
  if (!domain) throw new UnreadableReport('The report names no domain.');
  const { begin, end } = timeRange(
    timeOf(of('report_metadata/date_range/begin')),
    timeOf(of('report_metadata/date_range/end')),
    onLeftOut,
  );
  const tags = POLICY_TAGS.map((tag) => [tag, plain(head[POLICY + tag] ?? '') || null]);
  const contact = plain(of('report_metadata/email'));
  return {
    kind: 'dmarc',
    domain,
    organisation: plain(of('report_metadata/org_name')) || contact || 'unknown',
    contact,
    reportId: plain(of('report_metadata/report_id')) || 'unknown',
    begin,
    end,
    policy: { ...(Object.fromEntries(tags) as FoundPolicy), domain },
  };
}

/** The domain of a policy, also as the name of its record, such as `_dmarc.example.com`. */
function domainIn(text: string): string | null {
  return normalizeDomainName(withoutServiceLabels(text));
}

/** A domain in From as reporters write it: also within an address, or with the dot of the root. */
function nameIn(text: string): string {
  return text
    .toLowerCase()
    .replace(/^.*@/, '')
    .replace(/(?<![>.])[>.]+$/, '');
}

/** @throws UnreadablePart */
function rowOf({ fields, lists }: RawRow, head: Fields): DmarcRow {
  const of = (name: string) => plain(fields[name] ?? '');
  const dkim = lists.dkim.map(({ domain = '', selector = '', result = '' }) => ({
    domain: plain(domain).toLowerCase(),
    selector: plain(selector) || null,
    result: plain(result).toLowerCase(),
  }));
  const spf = lists.spf.map(({ domain = '', result = '' }) => ({
    domain: plain(domain).toLowerCase(),
    result: plain(result).toLowerCase(),
  }));
  const headerFrom = nameIn(of('identifiers/header_from'));
  const from = headerFrom || (head[`${POLICY}domain`] ?? '').toLowerCase();
  const dkimAligned = alignmentOf(of('row/policy_evaluated/dkim'), {
    checks: dkim,
    isOptional: spf.length > 0,
    from,
    mode: head[`${POLICY}adkim`],
  });
  const spfAligned = alignmentOf(of('row/policy_evaluated/spf'), {
    checks: spf,
    isOptional: false,
    from,
    mode: head[`${POLICY}aspf`],
  });
  return {
    ip: addressOf(of('row/source_ip')),
    messages: messagesOf(of('row/count')),
    disposition: dispositionOf(of('row/policy_evaluated/disposition')),
    isDkimAligned: dkimAligned,
    isSpfAligned: spfAligned,
    headerFrom,
    envelopeFrom: of('identifiers/envelope_from').toLowerCase() || null,
    envelopeTo: of('identifiers/envelope_to').toLowerCase() || null,
    dkim,
    spf,
    reasons: lists.reasons.map(({ type = '', comment = '' }) => ({ type: plain(type), comment: comment || null })),
  };
}

/** Without a zone, such as `fe80::1%eth0`, which Postgres refuses. Some write addresses as SMTP does: `[IPv6:2001:db8::1]`. */
function addressOf(given: string): string {
  const text = given.replace(/^\[(.*)\]$/, '$1').replace(/^ipv6:/i, '');
  const isIpv6 = ipaddr.IPv6.isValid(text) && !text.includes('%');
  if (ipaddr.IPv4.isValidFourPartDecimal(text) || isIpv6) return ipaddr.process(text).toString();
  throw new UnreadablePart('The source isn’t an IP address.');
}

function messagesOf(text: string): number {
  const count = countIn(text);
  if (count === null) throw new UnreadablePart('The number of messages isn’t a valid count.');
  return count;
}

/** RFC 9990 has `pass` for mail to which no policy applied. */
function dispositionOf(text: string): DmarcRow['disposition'] {
  const disposition = text.toLowerCase();
  return disposition === 'quarantine' || disposition === 'reject' ? disposition : 'none';
}
