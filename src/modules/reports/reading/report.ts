import type { DmarcPolicy } from '../dmarc/schema';
import type { DropReason } from '../schema';

type Sender = {
  /** The domain that the report is about, in lower case. */
  domain: string;
  organisation: string;
  /** The sender's address, or whatever it gives for one. */
  contact: string;
  reportId: string;
  begin: Date;
  end: Date;
  /** Whether rows beyond the limit were left out. */
  isTruncated: boolean;
};

export type DmarcRow = {
  ip: string;
  messages: number;
  disposition: DmarcPolicy;
  isDkimAligned: boolean;
  isSpfAligned: boolean;
  headerFrom: string;
  envelopeFrom: string | null;
  envelopeTo: string | null;
  dkim: { domain: string; selector: string | null; result: string }[];
  spf: { domain: string; result: string }[];
  reasons: { type: string; comment: string | null }[];
};

export type FoundPolicy = Record<
  'domain' | 'p' | 'sp' | 'np' | 'adkim' | 'aspf' | 'pct' | 'fo' | 'testing' | 'discovery_method',
  string | null
>;

export type ParsedDmarc = Sender & { kind: 'dmarc'; policy: FoundPolicy; errors: string[]; rows: DmarcRow[] };

export type TlsPolicy = {
  type: string;
  strings: string[];
  mx_hosts: string[];
  sessions: number;
  failed_sessions: number;
};

export type TlsFailureRow = {
  resultType: string;
  mxHost: string | null;
  sendingIp: string | null;
  receivingIp: string | null;
  receivingHelo: string | null;
  sessions: number;
  reasonCode: string | null;
  additionalInformation: string | null;
};

export type ParsedTls = Sender & { kind: 'tls'; policies: TlsPolicy[]; failures: TlsFailureRow[] };

export type ParsedReport = ParsedDmarc | ParsedTls;

export type ReportKind = ParsedReport['kind'];

/** Why a file is no report that can be stored. The message is shown to the admin who uploads it. */
export type Unreadable = { reason: Extract<DropReason, 'too_large' | 'malformed'>; message: string };

export class UnreadableReport extends Error {
  constructor(
    message: string,
    readonly reason: Unreadable['reason'] = 'malformed',
  ) {
    super(message);
  }
}

export const LIMITS = {
  compressedBytes: 10 * 1024 * 1024,
  bytes: 50 * 1024 * 1024,
  /** Text compresses up to a hundredfold. Counts beyond the first MB only. */
  ratio: 250,
  zipEntries: 50,
  depth: 20,
  rows: 20_000,
  tlsFailures: 1_000,
  /** Of all lists within a row. */
  listLength: 20,
  textLength: 255,
  commentLength: 1_000,
  /** Per row; a report of a real domain has fewer. */
  count: 1_000_000_000,
  days: 31,
} as const;

/** Text that Postgres can store, of bounded length. */
export function plain(text: string, maxLength: number = LIMITS.textLength): string {
  const bounded = text.length > maxLength ? text.slice(0, maxLength) : text;
  return bounded
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim();
}

/** @throws UnreadableReport unless both are times, in order */
export function timeRange(begin: Date, end: Date): { begin: Date; end: Date } {
  const lengthMs = end.getTime() - begin.getTime();
  if (Number.isNaN(lengthMs)) throw new UnreadableReport('The report has no valid time range.');
  if (lengthMs < 0) throw new UnreadableReport('The report ends before it begins.');
  if (lengthMs > LIMITS.days * DAY_MS) throw new UnreadableReport(`The report covers more than ${LIMITS.days} days.`);
  return { begin, end };
}

const DAY_MS = 24 * 60 * 60 * 1000;
