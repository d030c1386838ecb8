import type { Tx } from '@/server/database/db';
import { countOf, type PeriodRange } from '../period';
import { meaningOf } from './meanings';
import type { DomainTls } from './schema';

const MAX_FAILURES = 200;

type Selected = { domainId: string; range: PeriodRange };

type Column = 'reports' | 'organisations' | 'sessions' | 'failed';
/** `day` is null for the whole range. */
type DayRow = Record<Column, string | null> & { day: Date | null };

/** Totals and one entry per day. */
export async function readTotals(db: Tx, { domainId, range }: Selected): Promise<Pick<DomainTls, 'totals' | 'series'>> {
  const rows = await db.$queryRaw<DayRow[]>`
    SELECT day, count(*)::text AS reports, count(DISTINCT organisation)::text AS organisations,
           sum(sessions)::text AS sessions, sum(failed_sessions)::text AS failed
      FROM tls_report
     WHERE domain_id = ${domainId}::uuid AND day BETWEEN ${range.start}::timestamptz::date AND ${range.end}::timestamptz::date
     GROUP BY GROUPING SETS ((day), ())`;
  const whole = rows.find(({ day }) => day === null);
  const byDay = new Map(rows.flatMap((row) => (row.day ? [[row.day.getTime(), row]] : [])));
  const of = (row: DayRow | undefined, column: Column) => countOf(BigInt(row?.[column] ?? 0));
  return {
    totals: {
      reports: of(whole, 'reports'),
      organisations: of(whole, 'organisations'),
      sessions: of(whole, 'sessions'),
      failed_sessions: of(whole, 'failed'),
    },
    series: range.days.map((day) => {
      const row = byDay.get(day.getTime());
      return { at: day.toISOString(), sessions: of(row, 'sessions'), failed_sessions: of(row, 'failed') };
    }),
  };
}

type FailureRow = {
  organisation: string;
  resultType: string;
  mxHost: string | null;
  sendingIp: string | null;
  receivingIp: string | null;
  sessions: string;
  firstSeen: Date;
  lastSeen: Date;
  total: string;
};

export async function readFailures(
  db: Tx,
  { domainId, range }: Selected,
): Promise<Pick<DomainTls, 'failures' | 'failures_total'>> {
  const rows = await db.$queryRaw<FailureRow[]>`
    SELECT r.organisation, f.result_type AS "resultType", f.mx_host AS "mxHost", f.sending_ip AS "sendingIp",
           f.receiving_ip AS "receivingIp", sum(f.sessions)::text AS sessions, min(r.begin_at) AS "firstSeen",
           max(r.end_at) AS "lastSeen", (count(*) OVER ())::text AS total
      FROM tls_report r JOIN tls_failure f ON f.tls_report_id = r.id
     WHERE r.domain_id = ${domainId}::uuid
       AND r.day BETWEEN ${range.start}::timestamptz::date AND ${range.end}::timestamptz::date
     GROUP BY 1, 2, 3, 4, 5
     ORDER BY sum(f.sessions) DESC, 1, 2, 3, 4, 5 LIMIT ${MAX_FAILURES}`;
  return { failures: rows.map(present), failures_total: Number(rows[0]?.total ?? 0) };
}

function present(row: FailureRow): DomainTls['failures'][number] {
  return {
    mx_host: row.mxHost,
    result_type: row.resultType,
    meaning: meaningOf(row.resultType),
    organisation: row.organisation,
    sessions: countOf(BigInt(row.sessions)),
    sending_ip: row.sendingIp,
    receiving_ip: row.receivingIp,
    first_seen: row.firstSeen.toISOString(),
    last_seen: row.lastSeen.toISOString(),
  };
}
