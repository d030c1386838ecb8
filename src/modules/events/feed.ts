import { authorizeDomain, domainFilter } from '@/server/access';
import type { ActorContext } from '@/server/context';
import type { Page } from '@/server/pagination';
import type { FeedEvent, ReadFeed } from './schema';

const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Events in the order of their places, after the one given. A page ends early where it would grow past 4 MiB, so that
 * many long events cost no more than a few. `next_cursor` is always a place to go on from, on the last page too.
 */
export async function readFeed(ctx: ActorContext, input: ReadFeed): Promise<Page<FeedEvent>> {
  const { after, limit, event: type, domain_id: domainId, since } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const listed = await ctx.db.event.findMany({
    where: {
      AND: [
        { sequence: { gt: BigInt(after) } },
        domainFilter(ctx.actor),
        { domainId, type: type ?? { not: 'mail.received.full' } },
        since ? { createdAt: { gte: new Date(since) } } : {},
      ],
    },
    orderBy: { sequence: 'asc' },
    take: limit + 1,
    select: { id: true, bodyBytes: true },
  });
  const ids = fitting(listed.slice(0, limit));
  const rows = await ctx.db.event.findMany({
    where: { id: { in: ids } },
    orderBy: { sequence: 'asc' },
    select: { id: true, sequence: true, domainId: true, messageRowId: true, body: true },
  });
  const last = rows.at(-1)?.sequence;
  return {
    items: rows.map((row) => ({
      sequence: Number(row.sequence),
      id: row.id,
      domain_id: row.domainId,
      stored_message_id: row.messageRowId,
      body: row.body === null ? null : JSON.parse(row.body),
    })),
    pagination: { next_cursor: String(last ?? after), has_more: listed.length > ids.length },
  };
}

function fitting(rows: { id: string; bodyBytes: number }[]): string[] {
  let bytes = 0;
  const fits = rows.filter(({ bodyBytes }, index) => {
    bytes += bodyBytes;
    return index === 0 || bytes <= MAX_PAGE_BYTES;
  });
  return fits.map(({ id }) => id);
}
