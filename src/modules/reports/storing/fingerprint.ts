import { sha256 } from '@/server/secrets/crypto';
import type { ParsedReport } from '../reading/report';

export type Fingerprint = Uint8Array<ArrayBuffer>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Two trusted reports with the same fingerprint about a domain are the same report. */
export function fingerprintOf({ organisation, contact, reportId, begin, end }: ParsedReport): Fingerprint {
  const parts = [organisation, contact, reportId, begin.getTime(), end.getTime()];
  return Uint8Array.from(sha256(JSON.stringify(parts)));
}

/**
 * Two reports that aren't trusted are the same if all of their content is. A forged report that names the ID of a real one doesn't
 * take its place.
 */
export function contentFingerprintOf(report: ParsedReport): Fingerprint {
  return Uint8Array.from(sha256(JSON.stringify(report)));
}

/** The UTC day in the middle of the report, since some senders report local days. */
export function reportedDay({ begin, end }: ParsedReport): Date {
  return new Date(Math.floor((begin.getTime() + end.getTime()) / 2 / DAY_MS) * DAY_MS);
}

/** How many UTC days a report covers. One that names local days covers as many. */
export function daysOf({ begin, end }: Pick<ParsedReport, 'begin' | 'end'>): number {
  return Math.max(1, Math.round((end.getTime() - begin.getTime()) / DAY_MS));
}
