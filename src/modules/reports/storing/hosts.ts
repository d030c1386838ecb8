import type { Tx } from '@/server/database/db';
import type { ParsedReport } from '../reading/report';

// A host name is looked up for each, over time.
const MAX_HOSTS = 1_000;

/** Remembers the sources with the most messages. All at once and last, since reports about other domains share them. */
export async function addHosts(tx: Tx, reports: ParsedReport[], at: Date): Promise<void> {
  const messages = new Map<string, number>();
  for (const { ip, messages: more } of reports.flatMap((report) => (report.kind === 'dmarc' ? report.rows : []))) {
    messages.set(ip, (messages.get(ip) ?? 0) + more);
  }
  const mostFirst = [...messages].sort(([, one], [, other]) => other - one).slice(0, MAX_HOSTS);
  const ips = mostFirst.map(([ip]) => ip).sort();
  await tx.$executeRaw`
    INSERT INTO report_host AS known (ip, seen_at) SELECT ip, ${at} FROM unnest(${ips}::text[]) AS given(ip)
    ON CONFLICT (ip) DO UPDATE SET seen_at = EXCLUDED.seen_at WHERE known.seen_at < EXCLUDED.seen_at - interval '1 day'`;
}
