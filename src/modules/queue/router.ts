import { Confirmation, Empty } from '@/lib/wire';
import { rest } from '@/server/rest/meta';
import { adminProcedure, router } from '@/server/trpc';
import { ByQueueId, ListQueue, QueuedMessagePage, QueueSummary } from './schema';
import { changeQueued, flushQueue, listQueue, summarizeQueue } from './service';

const tag = 'Queue';
const needsMailServer = { 503: ['MAIL_STACK_UNAVAILABLE'] } as const;

export const queueRouter = router({
  list: adminProcedure(ListQueue)
    .meta(
      rest('GET', '/queue', {
        tag,
        summary: 'List what waits in the queue of the mail server',
        isPaginated: true,
        errors: { 503: [...needsMailServer[503]] },
      }),
    )
    .output(QueuedMessagePage)
    .query(({ ctx, input }) => listQueue(ctx, input)),

  summary: adminProcedure(Empty)
    .meta(
      rest('GET', '/queue/summary', {
        tag,
        summary: 'How much waits in each queue',
        errors: { 503: [...needsMailServer[503]] },
      }),
    )
    .output(QueueSummary)
    .query(({ ctx }) => summarizeQueue(ctx)),

  flush: adminProcedure(Empty)
    .meta(
      rest('POST', '/queue/flush', {
        tag,
        summary: 'Try all deferred mail now',
        description: 'What is on hold stays on hold. Doing this often delays other mail.',
        audit: 'queue.flush',
        transaction: 'manual',
        errors: { 503: [...needsMailServer[503]] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx }) => flushQueue(ctx)),

  hold: adminProcedure(ByQueueId)
    .meta(
      rest('POST', '/queue/{queue_id}/hold', {
        tag,
        summary: 'Put a message on hold',
        description: 'It is not tried again until it is released. An attempt under way may still deliver it.',
        audit: 'queue.hold',
        transaction: 'manual',
        errors: { 404: ['NOT_FOUND'], 503: [...needsMailServer[503]] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => changeQueued(ctx, 'hold', input)),

  release: adminProcedure(ByQueueId)
    .meta(
      rest('POST', '/queue/{queue_id}/release', {
        tag,
        summary: 'Release a message from hold',
        description: 'It is tried at once.',
        audit: 'queue.release',
        transaction: 'manual',
        errors: { 404: ['NOT_FOUND'], 503: [...needsMailServer[503]] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => changeQueued(ctx, 'release', input)),

  retry: adminProcedure(ByQueueId)
    .meta(
      rest('POST', '/queue/{queue_id}/retry', {
        tag,
        summary: 'Try a message now',
        description: 'One that is on hold is to be released first.',
        audit: 'queue.retry',
        transaction: 'manual',
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'], 503: [...needsMailServer[503]] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => changeQueued(ctx, 'retry', input)),

  delete: adminProcedure(ByQueueId)
    .meta(
      rest('DELETE', '/queue/{queue_id}', {
        tag,
        summary: 'Delete a message from the queue',
        description: 'It is not delivered to the recipients that are left, and its sender is not told.',
        audit: 'queue.delete',
        transaction: 'manual',
        errors: { 404: ['NOT_FOUND'], 503: [...needsMailServer[503]] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => changeQueued(ctx, 'delete', input)),
});
