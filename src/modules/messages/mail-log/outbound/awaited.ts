import { APP_LOGIN } from '@/mail/agent/installation';
import type { LogEntry } from '@/mail/log/log-line';
import type { Database } from '@/server/database/db';

/**
 * Whether a mailbox or an API key submitted one of these messages by SMTP and the filter's entry, which has its recipients
 * and subject, isn't stored yet.
 */
export async function awaitsFilter(db: Database, entries: readonly LogEntry[]): Promise<boolean> {
  const queued = entries.filter(({ kind }) => kind === 'queued').map(({ queueId }) => queueId);
  if (queued.length === 0) return false;
  const known = await db.loggedMail.findMany({
    where: { queueId: { in: queued } },
    select: { queueId: true, login: true, verdict: true },
  });
  const logins = new Map(known.map(({ queueId, login }) => [queueId, login]));
  for (const entry of entries) if (entry.kind === 'client') logins.set(entry.queueId, entry.login);
  const completed = new Set(known.filter(({ verdict }) => verdict !== null).map(({ queueId }) => queueId));
  return queued.some((queueId) => isSubmitter(logins.get(queueId)) && !completed.has(queueId));
}

function isSubmitter(login: string | null | undefined): boolean {
  return typeof login === 'string' && login !== APP_LOGIN;
}
