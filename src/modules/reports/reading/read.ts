import { readMessage } from '@/mail/mime/message';
import type { MailFile } from '@/mail/mime/packed-files';
import { parseDmarcXml } from './dmarc-xml';
import { LIMITS, type ParsedReport, type ReportKind, type Unreadable, UnreadableReport } from './report';
import { decode } from './text';
import { parseTlsJson } from './tls-json';
import { unpack } from './unpack';

/** A file, or a whole message with reports attached. */
export type ReadJob = { bytes: Uint8Array; isMail: boolean };

export type ReadReports = {
  reports: ParsedReport[];
  /** `kind` is null if the file doesn't show what it was meant to be. */
  unreadable: (Unreadable & { kind: ReportKind | null })[];
};

/** Finds and reads reports. Runs in a worker thread. */
export async function readReports({ bytes, isMail }: ReadJob, now: () => number = Date.now): Promise<ReadReports> {
  const files = isMail ? await filesIn(bytes) : [bytes];
  const found: ReadReports = { reports: [], unreadable: [] };
  const latest = now() + MESSAGE_MS;
  let rowsLeft: number = LIMITS.rows;
  // The small ones first, so that a large one leaves no report unread.
  for (const file of files.toSorted((one, other) => one.byteLength - other.byteLength)) {
    const attempt: Attempt = { kind: null };
    const until = Math.min(latest, now() + FILE_MS);
    try {
      const reports = await readFile(file, attempt, { rows: rowsLeft, isLate: () => now() > until });
      for (const report of reports) if (report.kind === 'dmarc') rowsLeft -= report.rows.length;
      found.reports.push(...reports);
    } catch (error) {
      if (!(error instanceof UnreadableReport)) throw error;
      found.unreadable.push({ kind: attempt.kind, reason: error.reason, message: error.message });
    }
  }
  return found;
}

// Together less than the thread has.
const FILE_MS = 5_000;
const MESSAGE_MS = 10_000;

type Attempt = { kind: ReportKind | null };
type Budget = { rows: number; isLate: () => boolean };

async function readFile(file: Uint8Array, attempt: Attempt, budget: Budget): Promise<ParsedReport[]> {
  const texts = inTime(decode(unpack(file)), budget.isLate);
  let start = '';
  for await (const text of texts) {
    start += text;
    const [first] = start.replace(/^\ufeff/, '').trimStart();
    if (first === undefined && start.length < MAX_LEADING_SPACE) continue;
    if (first !== '<' && first !== '{') break;
    attempt.kind = first === '<' ? 'dmarc' : 'tls';
    const whole = joined(start, texts);
    if (attempt.kind === 'tls') return parseTlsJson(whole);
    if (budget.rows === 0) throw new UnreadableReport('The message has too many rows.', 'too_large');
    return [await parseDmarcXml(whole, budget.rows)];
  }
  throw new UnreadableReport('The file is neither XML nor JSON.');
}

async function* inTime(texts: AsyncGenerator<string>, isLate: () => boolean): AsyncGenerator<string> {
  for await (const text of texts) {
    if (isLate()) throw new UnreadableReport('The report takes too long to read.', 'too_large');
    yield text;
  }
}

const MAX_LEADING_SPACE = 1_000;

async function* joined(start: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield start.replace(/^\ufeff/, '').trimStart();
  yield* rest;
}

const MAX_FILES = 5;
// Base64 adds a third, and line breaks.
const MAX_MAIL_BYTES = LIMITS.compressedBytes * 1.5;
const PACKED_TYPE = /^application\/(x-)?(zip|gzip|zip-compressed|tlsrpt\+gzip)$/i;
const PLAIN_TYPE = /^(text|application)\/(xml|json|tlsrpt\+json)$/i;
const REPORT_NAME = /\.(xml|json|zip|gz)$/i;

async function filesIn(raw: Uint8Array): Promise<Uint8Array[]> {
  if (raw.byteLength > MAX_MAIL_BYTES) return [new Uint8Array(LIMITS.compressedBytes + 1)];
  const { attachments } = readMessage(raw);
  return attachments
    .filter(isCandidate)
    .slice(0, MAX_FILES)
    .map(({ content }) => content);
}

function isCandidate({ mimeType, filename }: MailFile): boolean {
  return PACKED_TYPE.test(mimeType) || PLAIN_TYPE.test(mimeType) || REPORT_NAME.test(filename ?? '');
}
