import type { LeftOut, ReportSender } from './schema';
import { daysOf } from './storing/fingerprint';

type Row = {
  source: 'mail' | 'upload';
  senderDomain: string | null;
  isAuthenticated: boolean;
  beginAt: Date;
  endAt: Date;
};

/** Returns the fields that both kinds of reports have. */
export function presentArrival(row: Row): { sender: ReportSender; days: number } {
  const { senderDomain: domain, isAuthenticated: authenticated } = row;
  return {
    sender: domain === null ? null : { domain, authenticated },
    days: daysOf({ begin: row.beginAt, end: row.endAt }),
  };
}

export function presentLeftOut({ leftOut }: { leftOut: unknown }): LeftOut {
  return leftOut as LeftOut;
}
