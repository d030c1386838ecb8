import { ById, Empty } from '@/lib/wire';
import { authedProcedure, router, superAdminProcedure } from '@/server/procedures/trpc';
import { rest } from '@/server/rest/meta';
import { GetTotals, KeptDays, ListMessages, Message, MessagePage, MessageRetention, MessageTotals } from './schema';
import { getKeptDays, getMessage, getRetention, getTotals, listMessages } from './service';

export const messagesRouter = router({
  /** For the console's filters. */
  totals: authedProcedure(GetTotals)
    .meta({ isOpenToScopedKeys: true })
    .output(MessageTotals)
    .query(({ ctx, input }) => getTotals(ctx, input)),

  keptDays: authedProcedure(Empty)
    .meta({ isOpenToScopedKeys: true })
    .output(KeptDays)
    .query(() => getKeptDays()),

  retention: superAdminProcedure(Empty)
    .meta(
      rest('GET', '/messages/retention', {
        tag: 'Messages',
        summary: 'Get the progress of deleting old messages',
        description:
          'Messages are deleted after `MESSAGE_RETENTION_DAYS`, with their recipients and traces, once an hour.',
      }),
    )
    .output(MessageRetention)
    .query(({ ctx }) => getRetention(ctx)),

  list: authedProcedure(ListMessages)
    .meta(
      rest('GET', '/messages', {
        tag: 'Messages',
        summary: 'List messages',
        description:
          'Filters that few messages match together, although many match each, read a part of the list per page: a page can then have fewer matches than `limit`, or none, while `has_more` is true.',
        isPaginated: true,
        isOpenToScopedKeys: true,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(MessagePage)
    .query(({ ctx, input }) => listMessages(ctx, input)),

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/messages/{id}', {
        tag: 'Messages',
        summary: 'Get a message',
        description: 'Includes the last SMTP reply for each recipient, and the trace.',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Message)
    .query(({ ctx, input }) => getMessage(ctx, input)),
});
