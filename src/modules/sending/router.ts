import { z } from 'zod';
import { ById, Empty } from '@/lib/wire';
import { ChangedMessage } from '@/modules/messages/schema';
import { messageRecord } from '@/modules/messages/service';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { rest } from '@/server/rest/meta';
import { env } from '@/server/settings/env';
import { mtaKind } from '@/server/settings/mta-kind';
import { sendBatch } from './batch';
import { completer, PreparedBatch, PreparedSend, prepareBatch, prepareSend } from './composing/prepared';
import { resendMessage } from './resend';
import { cancelMessage, rescheduleMessage } from './scheduled/change';
import { Batch, BatchSent, Mta, OutgoingMessage, RescheduleMessage, Resend, SendHeaders, Sent } from './schema';
import { sendMessage } from './service';

const MB = 1024 * 1024;
const BATCH_LIMIT_BYTES = 100 * MB;

const shared = {
  tag: 'Sending',
  isOpenToScopedKeys: true,
} as const;

const refusals: Parameters<typeof rest>[2]['errors'] = {
  403: ['DOMAIN_NOT_FOUND', 'API_KEY_DOMAIN_SCOPE', 'DOMAIN_INACTIVE', 'MAILBOX_SUSPENDED'],
  409: ['IDEMPOTENCY_CONFLICT'],
  413: ['MESSAGE_TOO_LARGE'],
  422: ['RECIPIENT_SUPPRESSED'],
  500: ['SEND_FAILED'],
  503: ['SEND_UNAVAILABLE'],
};

const changes = {
  tag: 'Messages',
  isOpenToScopedKeys: true,
  permission: 'send',
  errors: { 409: ['CONFLICT'] },
} satisfies Partial<Parameters<typeof rest>[2]>;

export const sendingRouter = router({
  /** For the console's header. */
  mta: authedProcedure(Empty)
    .meta({ isOpenToScopedKeys: true })
    .output(Mta)
    .query(() => ({ kind: mtaKind() })),

  send: authedProcedure(z.instanceof(PreparedSend))
    .meta(
      rest('POST', '/send', {
        ...shared,
        summary: 'Send a message',
        description:
          'Responds when the mail server has accepted the message. Suppressed recipients are left out and listed in `suppressed`; if ' +
          'nobody is left, nothing is sent. With `send_at`, the message is stored and sent then: 202 with `status: scheduled`.',
        audit: 'message.send',
        confirmation: 'Sends the message to real recipients.',
        otherStatuses: [202],
        permission: 'send',
        body: { prepare: prepareSend, schema: OutgoingMessage, headers: SendHeaders },
        bodyLimitBytes: () => (env().maxMessageSizeMb + 2) * MB,
        errors: { ...refusals, 400: ['INVALID_SENDER', 'INVALID_HEADER'] },
      }),
    )
    .output(Sent)
    .mutation(async ({ ctx, input }) => {
      const { fingerprint, message } = input;
      const sent = await sendMessage(ctx, { fingerprint, message: (submit) => completer(ctx)(message, submit) });
      if (sent.status === 'scheduled') ctx.response.status = 202;
      return sent;
    }),

  sendBatch: authedProcedure(z.instanceof(PreparedBatch))
    .meta(
      rest('POST', '/send/batch', {
        ...shared,
        summary: 'Send up to 100 messages',
        description:
          'Each message succeeds or fails separately. The result of a failed message has `error` and `code`.',
        audit: 'message.send_batch',
        confirmation: 'Sends the messages to real recipients.',
        permission: 'send',
        body: { prepare: prepareBatch, schema: Batch, headers: SendHeaders },
        bodyLimitBytes: () => BATCH_LIMIT_BYTES,
        errors: { 400: ['EMPTY_BATCH', 'BATCH_TOO_LARGE'], 409: ['IDEMPOTENCY_CONFLICT'] },
      }),
    )
    .output(BatchSent)
    .mutation(({ ctx, input }) => sendBatch(ctx, input)),

  cancel: authedProcedure(ById)
    .meta(
      rest('POST', '/messages/{id}/cancel', {
        ...changes,
        summary: 'Cancel a scheduled message',
        description: 'Its content is deleted. A message that has left can’t be cancelled.',
        audit: 'message.cancel',
        confirmation: 'The message won’t be sent.',
      }),
    )
    .output(ChangedMessage)
    .mutation(({ ctx, input }) => cancelMessage(ctx, input)),

  reschedule: authedProcedure(RescheduleMessage)
    .meta(
      rest('PATCH', '/messages/{id}', {
        ...changes,
        versioned: messageRecord,
        summary: 'Reschedule a scheduled message',
        audit: 'message.reschedule',
        confirmation: null,
      }),
    )
    .output(ChangedMessage)
    .mutation(({ ctx, input }) => rescheduleMessage(ctx, input)),

  resend: authedProcedure(Resend)
    .meta(
      rest('POST', '/messages/{id}/resend', {
        tag: 'Messages',
        isOpenToScopedKeys: true,
        summary: 'Resend a message',
        description:
          'Sends a copy with a new Message-ID and date, to the same recipients unless `to` names others. Limits, suspension and ' +
          'inactive domains apply as for a new message. The content must be kept, and only sent messages can be resent.',
        audit: 'message.resend',
        confirmation: 'Sends the message to real recipients.',
        permission: 'send',
        headers: SendHeaders,
        errors: {
          ...refusals,
          404: ['CONTENT_UNAVAILABLE'],
          409: ['CONFLICT', 'IDEMPOTENCY_CONFLICT'],
        },
      }),
    )
    .output(Sent)
    .mutation(({ ctx, input }) => resendMessage(ctx, input)),
});
