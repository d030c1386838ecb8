import { adminProcedure, router } from '@/server/procedures/trpc';
import { rest } from '@/server/rest/meta';
import { readFeed } from './feed';
import { FeedPage, ReadFeed } from './schema';

export const eventsRouter = router({
  read: adminProcedure(ReadFeed)
    .meta(
      rest('GET', '/events', {
        tag: 'Events',
        summary: 'List events',
        description:
          'Returns events in a fixed order, to follow them without a webhook or to catch up after an outage. Continue with ' +
          'next_cursor until has_more is false, and store next_cursor for the next call. Events appear within two seconds. ' +
          'mail.received.full is sent to webhooks only; mail.received reports the same message.',
        isPaginated: true,
        isOpenToScopedKeys: true,
        // Its queries must agree: a range that one server knows and another doesn't would skip events permanently.
        isReadOnPrimary: true,
      }),
    )
    .output(FeedPage)
    .query(({ ctx, input }) => readFeed(ctx, input)),
});
