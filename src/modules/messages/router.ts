import { ById } from '@/lib/wire';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { rest } from '@/server/rest/meta';
import { GetTotals, ListMessages, Message, MessagePage, MessageTotals } from './schema';
import { getMessage, getTotals, listMessages } from './service';

export const messagesRouter = router({
  /** For the console's filters. */
  totals: authedProcedure(GetTotals)
    .meta({ isOpenToScopedKeys: true })
    .output(MessageTotals)
    .query(({ ctx, input }) => getTotals(ctx, input)),

  list: authedProcedure(ListMessages)
    .meta(
      rest('GET', '/messages', {
        tag: 'Messages',
        summary: 'List messages',
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
