import type { Email } from 'postal-mime';
import { parseMessage } from '@/mail/inbound/parse-message';
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
export async function readReports({ bytes, isMail }: ReadJob): Promise<ReadReports> {
  const files = isMail ? await filesIn(bytes) : [bytes];
  const found: ReadReports = { reports: [], unreadable: [] };
  for (const file of files) {
    const attempt: Attempt = { kind: null };
    try {
      found.reports.push(...(await readFile(file, attempt)));
    } catch (error) {
      if (!(error instanceof UnreadableReport)) throw error;
      found.unreadable.push({ kind: attempt.kind, reason: error.reason, message: error.message });
    }
  }
  return found;
}

type Attempt = { kind: ReportKind | null };

async function readFile(file: Uint8Array, attempt: Attempt): Promise<ParsedReport[]> {
  const texts = decode(unpack(file));
  let start = '';
  for await (const text of texts) {
    start += text;
    const [first] = start.replace(/^\ufeff/, '').trimStart();
    if (first === undefined && start.length < MAX_LEADING_SPACE) continue;
    if (first !== '<' && first !== '{') break;
    attempt.kind = first === '<' ? 'dmarc' : 'tls';
    const whole = joined(start, texts);
    return attempt.kind === 'dmarc' ? [await parseDmarcXml(whole)] : await parseTlsJson(whole);
  }
  throw new UnreadableReport('The file is neither XML nor JSON.');
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
  const { attachments } = await parseMessage(raw);
  return attachments
    .filter(isCandidate)
    .slice(0, MAX_FILES)
    .map(({ content }) => bytesOf(content));
}

function isCandidate({ mimeType, filename }: Email['attachments'][number]): boolean {
  return PACKED_TYPE.test(mimeType) || PLAIN_TYPE.test(mimeType) || REPORT_NAME.test(filename ?? '');
}

function bytesOf(content: Email['attachments'][number]['content']): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
}
