import type { DmarcPolicy } from '@/lib/mail/dmarc';
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
  /** The parts that are not in the report as it is stored, and why. */
  leftOut: LeftOut[];
};

export type LeftOut = { reason: string; count: number };

export type DmarcRow = {
  ip: string;
  messages: number;
  disposition: DmarcPolicy;
  /** Null: the report doesn't say, and it can't be derived. */
  isDkimAligned: boolean | null;
  isSpfAligned: boolean | null;
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
  /** Reports of a message. Senders put one into it, or a few. */
  reports: 100,
  tlsFailures: 1_000,
  /** Length of each list within a row. */
  listLength: 20,
  textLength: 255,
  commentLength: 1_000,
  /** Per row; a report of a real domain has fewer. */
  count: 1_000_000_000,
  days: 31,
} as const;

/** A part of a report that can't be read, while the rest can. The message is shown with the report. */
export class UnreadablePart extends Error {}

/** Counts what is left out, by reason. */
export function createLeftOut() {
  const counts = new Map<string, number>();
  const add = (reason: string, count = 1) => void counts.set(reason, (counts.get(reason) ?? 0) + count);
  return {
    add,
    list: (): LeftOut[] => [...counts].map(([reason, count]) => ({ reason, count })),
    /** The result of `read`, or nothing if it is a part that can't be read. */
    attempt<Part>(read: () => Part): Part[] {
      try {
        return [read()];
      } catch (error) {
        if (!(error instanceof UnreadablePart)) throw error;
        add(error.message);
        return [];
      }
    },
  };
}

/** Text that Postgres can store, of bounded length. */
export function plain(text: string, maxLength: number = LIMITS.textLength): string {
  const bounded = text.length > maxLength ? text.slice(0, maxLength) : text;
  return bounded
    .toWellFormed()
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim();
}

/** The name of a domain that a record below it stands for, such as `_dmarc.example.com` or `_25._tcp.mx.example.com`. */
export function withoutServiceLabels(name: string): string {
  return name.trim().replace(/^(?:_[\w-]{1,62}\.){1,5}/, '');
}

const LATEST_SECONDS = 100_000_000_000;

/** A time as seconds, milliseconds or microseconds since 1970, with decimals too, or as a date. Without a zone it is in UTC. */
export function timeOf(given: string): Date {
  const text = given.trim().replace(/^(\d{4}-\d\d-\d\d) +/, '$1T');
  if (/^\d{1,17}(\.\d*)?(e\+?\d{1,2})?$/i.test(text)) {
    const number = Number(text);
    const milliseconds = number < LATEST_SECONDS * 1000 ? number : number / 1000;
    return new Date(Math.trunc(number < LATEST_SECONDS ? number * 1000 : milliseconds));
  }
  const hasZone = /^\d{4}-\d\d-\d\d$|(Z|GMT|UTC|[+-]\d\d:?\d\d)$/i.test(text);
  return new Date(hasZone ? text : `${text}Z`);
}

/** A count, also as text or with decimals that are zero. Null if it is none. */
export function countIn(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\s*\+?\d{1,10}(\.0*)?\s*$/.test(text)) return null;
  return Number(text) <= LIMITS.count ? Number(text) : null;
}

/** The time of a report. One of the times is enough, for a report of a day. @throws UnreadableReport unless they are in order */
export function timeRange(begin: Date, end: Date, onLeftOut: (reason: string) => void): { begin: Date; end: Date } {
  const [hasBegin, hasEnd] = [isTime(begin), isTime(end)];
  if (!hasBegin && !hasEnd) throw new UnreadableReport('The report has no valid time range.');
  if (!hasBegin || !hasEnd) onLeftOut(`The report has no valid time at which it ${hasBegin ? 'ends' : 'begins'}.`);
  const range = {
    begin: hasBegin ? begin : new Date(end.getTime() - DAY_MS + 1000),
    end: hasEnd ? end : new Date(begin.getTime() + DAY_MS - 1000),
  };
  const lengthMs = range.end.getTime() - range.begin.getTime();
  if (lengthMs < 0) throw new UnreadableReport('The report ends before it begins.');
  if (lengthMs > LIMITS.days * DAY_MS) throw new UnreadableReport(`The report covers more than ${LIMITS.days} days.`);
  return range;
}

function isTime(date: Date): boolean {
  return !Number.isNaN(date.getTime());
}

const DAY_MS = 24 * 60 * 60 * 1000;
