import { rest } from '@/server/rest/meta';
import { adminProcedure, router } from '@/server/trpc';
import { readFeed } from './feed';
import { FeedPage, ReadFeed } from './schema';

export const eventsRouter = router({
  read: adminProcedure(ReadFeed)
    .meta(
      rest('GET', '/events', {
        tag: 'Events',
        summary: 'Read the events in order',
        description:
          'For catching up without a webhook, or after one was out for long: read on from next_cursor until has_more is ' +
          'false, and keep next_cursor for the next time. An event is here within a second or two. mail.received.full ' +
          'goes to webhooks only; mail.received tells of the same message.',
        isPaginated: true,
        isOpenToScopedKeys: true,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(FeedPage)
    .query(({ ctx, input }) => readFeed(ctx, input)),
});
