import { measureWork } from '@/server/background/work-time';
import type { ReportSender } from './authentication';
import { parseDmarcXml } from './dmarc-xml';
import { type FoundFiles, filesInMail, type ReportFile } from './mail-files';
import { LIMITS, type ParsedReport, type ReportKind, type Unreadable, UnreadableReport } from './report';
import { decode } from './text';
import { parseTlsJson } from './tls-json';
import { unpack } from './unpack';

/** A file, or a whole message with reports in it, which the mail server of that name received. */
export type ReadJob = { bytes: Uint8Array } & ({ isMail: false } | { isMail: true; mailHost?: string });

export type ReadReports = {
  reports: ParsedReport[];
  /** `kind` is null if the file doesn't show what it was meant to be. */
  unreadable: (Unreadable & { kind: ReportKind | null })[];
  /** Who sent the message. Null for a file, and for a message that couldn't be read. */
  sender: ReportSender | null;
};

/** Finds and reads reports, with `now` in milliseconds. Runs in a worker thread. */
export async function readReports(job: ReadJob, now: () => number = measureWork()): Promise<ReadReports> {
  const { files, filesOverLimit, sender } = filesOf(job);
  const found: ReadReports = { reports: [], unreadable: [], sender };
  const latest = now() + MESSAGE_MS;
  let rowsLeft: number = LIMITS.rows;
  // The small ones first, so that a large one leaves no report unread.
  for (const file of files.toSorted((one, other) => one.bytes.byteLength - other.bytes.byteLength)) {
    const until = Math.min(latest, now() + FILE_MS);
    await readFile(file, found, {
      rowsLeft: () => rowsLeft,
      reportsLeft: () => LIMITS.reports - found.reports.length - found.unreadable.length,
      isLate: () => now() > until,
      onReport: (report) => {
        if (report.kind === 'dmarc') rowsLeft -= report.rows.length;
      },
    });
  }
  for (let count = 0; count < Math.min(filesOverLimit, LIMITS.reports); count += 1) {
    found.unreadable.push({ kind: null, reason: 'too_large', message: 'The message has too many files.' });
  }
  return found;
}

function filesOf(job: ReadJob): FoundFiles {
  if (job.isMail) return filesInMail(job.bytes, job.mailHost);
  return { files: [{ bytes: job.bytes, isNamed: true }], filesOverLimit: 0, sender: null };
}

// Together less than the thread has.
const FILE_MS = 5_000;
const MESSAGE_MS = 10_000;

type Budget = {
  rowsLeft: () => number;
  /** How many more reports are stored, or counted as unreadable. At 0, the next one is counted, and nothing after it is read. */
  reportsLeft: () => number;
  isLate: () => boolean;
  onReport: (report: ParsedReport) => void;
};

/** Adds the reports of a file, each by itself, and why others can't be read. */
async function readFile({ bytes, isNamed, domain }: ReportFile, found: ReadReports, budget: Budget): Promise<void> {
  let kind: ReportKind | null = null;
  const add = (result: ParsedReport | UnreadableReport) => {
    if (budget.reportsLeft() < 0) return;
    if (budget.reportsLeft() === 0) {
      found.unreadable.push({ kind, reason: 'too_large', message: 'There are too many reports.' });
    } else if (result instanceof UnreadableReport) {
      const { reason, message } = result;
      if (isNamed || kind) found.unreadable.push({ kind, reason, message });
    } else {
      budget.onReport(result);
      found.reports.push(result);
    }
  };
  try {
    for await (const content of unpack(bytes)) {
      if (budget.reportsLeft() < 0) return;
      try {
        kind = null;
        const { texts, first } = await startOf(inTime(decode(content), budget.isLate));
        kind = KINDS[first] ?? null;
        if (!kind) throw new UnreadableReport('The file is neither XML nor JSON.');
        const results = kind === 'dmarc' ? await readDmarc(texts, budget) : await parseTlsJson(texts, domain);
        results.forEach(add);
      } catch (error) {
        if (!(error instanceof UnreadableReport)) throw error;
        add(error);
      }
    }
  } catch (error) {
    if (!(error instanceof UnreadableReport)) throw error;
    add(error);
  }
}

const KINDS: Record<string, ReportKind> = { '<': 'dmarc', '{': 'tls', '[': 'tls' };

function readDmarc(texts: AsyncIterable<string>, { rowsLeft, reportsLeft }: Budget) {
  if (rowsLeft() <= 0) throw new UnreadableReport('The message has too many rows.', 'too_large');
  return parseDmarcXml(texts, { rows: rowsLeft(), reports: reportsLeft() });
}

async function* inTime(texts: AsyncGenerator<string>, isLate: () => boolean): AsyncGenerator<string> {
  for await (const text of texts) {
    if (isLate()) throw new UnreadableReport('The report takes too long to read.', 'too_large');
    yield text;
  }
}

const MAX_LEADING_SPACE = 1_000;

/** The text without space before it, and its first character. */
async function startOf(texts: AsyncGenerator<string>): Promise<{ texts: AsyncGenerator<string>; first: string }> {
  let start = '';
  while (start.trim() === '' && start.length < MAX_LEADING_SPACE) {
    const { value, done } = await texts.next();
    if (done) break;
    start = (start + value).replace(/^[\s\u0000-\u001f\ufeff]+/, '');
  }
  return { texts: joined(start, texts), first: start.charAt(0) };
}

async function* joined(start: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield start;
  yield* rest;
}
