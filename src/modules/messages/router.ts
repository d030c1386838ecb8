import { ById, Empty } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { authedProcedure, router, superAdminProcedure } from '@/server/procedures/trpc';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import { downloadAttachment, downloadRaw, getContent } from './content/read';
import { GetAttachment, MessageContent } from './content/schema';
import { messageList } from './lists';
import { KeptDays, MessageRetention } from './retention/schema';
import { getKeptDays, getRetention } from './retention/state';
import { downloadUnreadBounce, getUnreadBounces } from './returned/list';
import { GetUnreadBounces, UnreadBounces } from './returned/schema';
import { GetTotals, Message, MessageFilters, MessageSummary, MessageTotals } from './schema';
import { getMessage, getTotals, listMessages, messageRecord } from './service';

const kept: Pick<Parameters<typeof rest>[2], 'tag' | 'isOpenToScopedKeys' | 'errors'> = {
  tag: 'Messages',
  isOpenToScopedKeys: true,
  errors: { 404: ['CONTENT_UNAVAILABLE'] },
};

const messages = listProcedures(messageList, {
  procedure: authedProcedure,
  item: MessageSummary,
  filters: MessageFilters,
  find: listMessages,
  tag: 'Messages',
  description:
    'Filters that few messages match together, although many match each, read a part of the list per page: a page can then have fewer matches than `limit`, or none, while `has_more` is true.',
  isOpenToScopedKeys: true,
});

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

  list: messages.list,

  unreadBounces: authedProcedure(GetUnreadBounces)
    .meta(
      rest('GET', '/unread-bounces', {
        tag: 'Messages',
        summary: 'Get unread bounces',
        description:
          'Mail to the bounce addresses of messages that is no report about one of their recipients. Domain admins and scoped keys see that of their domains only.',
        isOpenToScopedKeys: true,
      }),
    )
    .output(UnreadBounces)
    .query(({ ctx, input }) => getUnreadBounces(ctx, input)),

  unreadBounce: authedProcedure(ById)
    .meta(
      rest('GET', '/unread-bounces/{id}/raw', {
        tag: 'Messages',
        summary: 'Download an unread bounce',
        isWriting: true,
        description: 'The first 64 KB of the mail, for a day after it arrived. Recorded in the audit log.',
        isOpenToScopedKeys: true,
        file: 'message/rfc822',
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => downloadUnreadBounce(ctx, input)),

  export: messages.export,

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/messages/{id}', {
        tag: 'Messages',
        summary: 'Get a message',
        description: 'Includes the last SMTP reply for each recipient, and the trace.',
        isOpenToScopedKeys: true,
        versioned: messageRecord,
      }),
    )
    .output(Message)
    .query(({ ctx, input }) => getMessage(ctx, input)),

  content: authedProcedure(ById)
    .meta(
      rest('GET', '/messages/{id}/content', {
        ...kept,
        summary: 'Get the content of a message',
        description: 'Its text, its sanitised HTML, its headers and a list of its attachments.',
      }),
    )
    .output(MessageContent)
    .query(({ ctx, input }) => getContent(ctx, input)),

  raw: authedProcedure(ById)
    .meta(
      rest('GET', '/messages/{id}/raw', {
        ...kept,
        summary: 'Download a message',
        isWriting: true,
        description: 'The raw message (RFC 5322), as it was submitted or received. Recorded in the audit log.',
        file: 'message/rfc822',
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => downloadRaw(ctx, input)),

  attachment: authedProcedure(GetAttachment)
    .meta(
      rest('GET', '/messages/{id}/attachments/{index}', {
        ...kept,
        summary: 'Download an attachment',
        isWriting: true,
        description: 'The content type is the declared one, unless a browser could run it. Recorded in the audit log.',
        file: 'application/octet-stream',
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => downloadAttachment(ctx, input)),
});
