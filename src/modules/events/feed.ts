import { authorizeDomain, domainFilter } from '@/server/access/authorize';
import { AppError } from '@/server/errors';
import type { Page } from '@/server/pagination';
import type { ActorContext } from '@/server/procedures/context';
import type { FeedEvent, ReadFeed } from './schema';

const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Lists events by sequence number, after the given one. A page ends early at 4 MB. `next_cursor` is always set, on the last
 * page too, so that readers can continue later.
 * @throws INVALID_PAGINATION for a number that was never assigned, for example after a restore from a backup
 */
export async function readFeed(ctx: ActorContext, input: ReadFeed): Promise<Page<FeedEvent>> {
  const { limit, event: type, domain_id: domainId, since } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const after = BigInt(input.after);
  const { assigned, highest } = await sequenceRange(ctx);
  if (after > assigned) throw unknownCursor(assigned);
  const listed = await ctx.db.event.findMany({
    where: {
      AND: [
        { sequence: { gt: after, lte: highest } },
        domainFilter(ctx.actor),
        { domainId, type: type ?? { not: 'mail.received.full' } },
        since ? { createdAt: { gte: new Date(since) } } : {},
      ],
    },
    orderBy: { sequence: 'asc' },
    take: limit + 1,
    select: { id: true, bodyBytes: true },
  });
  const ids = withinSizeLimit(listed.slice(0, limit));
  const rows = await ctx.db.event.findMany({
    where: { id: { in: ids } },
    orderBy: { sequence: 'asc' },
    select: { id: true, sequence: true, domainId: true, messageRowId: true, body: true },
  });
  const hasMore = listed.length > ids.length;
  // On the last page, everything up to the highest number was either returned or filtered out.
  const last = hasMore ? (rows.at(-1)?.sequence ?? after) : highest;
  return {
    items: rows.map((row) => ({
      sequence: Number(row.sequence),
      id: row.id,
      domain_id: row.domainId,
      stored_message_id: row.messageRowId,
      body: row.body === null ? null : JSON.parse(row.body),
    })),
    pagination: { next_cursor: String(last > after ? last : after), has_more: hasMore },
  };
}

/** The highest sequence number of a stored event, and the highest ever assigned. */
async function sequenceRange({ db }: ActorContext): Promise<{ assigned: bigint; highest: bigint }> {
  const [row] = await db.$queryRaw<{ assigned: bigint; highest: bigint }[]>`
    SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS assigned,
           (SELECT coalesce(max(sequence), 0) FROM event) AS highest FROM event_sequence`;
  return row ?? { assigned: 0n, highest: 0n };
}

function withinSizeLimit(rows: { id: string; bodyBytes: number }[]): string[] {
  let bytes = 0;
  const included = rows.filter(({ bodyBytes }, index) => {
    bytes += bodyBytes;
    return index === 0 || bytes <= MAX_PAGE_BYTES;
  });
  return included.map(({ id }) => id);
}

function unknownCursor(assigned: bigint): AppError {
  const message = `No event has this number yet; the last one is ${assigned}. If the database was restored, continue from there.`;
  return new AppError('INVALID_PAGINATION', message, { details: { fields: [{ path: 'after', message }] } });
}
