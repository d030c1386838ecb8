import { ById } from '@/lib/wire';
import { env } from '@/server/env';
import { rest } from '@/server/rest/meta';
import { authedProcedure, router } from '@/server/trpc';
import { OutgoingMessage } from './outgoing-message';
import { ListMessages, Message, MessagePage, Sent } from './schema';
import { sendMessage } from './send';
import { getMessage, listMessages } from './service';

const MIB = 1024 * 1024;

export const messagesRouter = router({
  send: authedProcedure(OutgoingMessage)
    .meta(
      rest('POST', '/send', {
        tag: 'Sending',
        summary: 'Send a message',
        description: 'Answers once the mail server has accepted the message.',
        audit: 'message.send',
        transaction: 'manual',
        isOpenToScopedKeys: true,
        bodyLimitBytes: () => (env().maxMessageSizeMb + 2) * MIB,
        errors: {
          400: ['INVALID_SENDER', 'INVALID_HEADER'],
          403: ['DOMAIN_NOT_FOUND', 'API_KEY_DOMAIN_SCOPE', 'DOMAIN_INACTIVE', 'MAILBOX_SUSPENDED'],
          413: ['MESSAGE_TOO_LARGE'],
          500: ['SEND_FAILED'],
          503: ['SEND_UNAVAILABLE'],
        },
      }),
    )
    .output(Sent)
    .mutation(({ ctx, input }) => sendMessage(ctx, input)),

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
        summary: 'Get a message with its recipients and trace',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Message)
    .query(({ ctx, input }) => getMessage(ctx, input)),
});
