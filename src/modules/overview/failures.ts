import { MAX_TOTAL } from '@/lib/lists';
import { accessibleDomainIds } from '@/server/access/authorize';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { Overview } from './schema';

type Options = { domainId: string | undefined; since: Date; senders: { sender: string }[] };

/** Counts failed messages, at most the newest 10,000, by the cause of the first recipient that failed and by these senders. */
export function countFailures(
  { actor, db }: ActorContext,
  { domainId, since, senders }: Options,
): Promise<Overview['failures']> {
  const ids = domainId ? [domainId] : accessibleDomainIds(actor);
  const isWithin = ids ? Prisma.sql`domain_id = ANY(${ids}::uuid[])` : Prisma.sql`true`;
  return db.$queryRaw`
    SELECT CASE WHEN m.from_address = ANY(${senders.map(({ sender }) => sender)}::text[]) THEN m.from_address END AS sender,
           (SELECT r.cause FROM message_recipient r WHERE r.message_id = m.id AND r.status = 'failed'
             ORDER BY r.kind, r.id LIMIT 1) AS cause,
           count(*)::int AS count
      FROM (SELECT id, from_address FROM message
             WHERE direction = 'outbound' AND status = 'failed' AND created_at >= ${since} AND ${isWithin}
             ORDER BY created_at DESC, id DESC LIMIT ${MAX_TOTAL}) AS m
     GROUP BY 1, 2 ORDER BY 3 DESC, 2`;
}
