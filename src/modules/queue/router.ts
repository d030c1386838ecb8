import { Confirmation, Empty } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { adminProcedure, router } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { queueList } from './lists';
import { ByQueueId, QueuedMessage, QueueFilters, QueueSummary } from './schema';
import { changeQueued, countQueue, flushQueue, listQueue, summarizeQueue } from './service';

const tag = 'Queue';
const rest = restOf(tag);
const needsMailServer = { 503: ['MAIL_STACK_UNAVAILABLE'] } as const;

const queued = listProcedures(queueList, {
  procedure: adminProcedure,
  item: QueuedMessage,
  filters: QueueFilters,
  find: listQueue,
  atMost: countQueue,
  tag,
  isReadOnPrimary: true,
  isAgentRead: true,
  errors: { 503: [...needsMailServer[503]] },
});

export const queueRouter = router({
  list: queued.list,

  export: queued.export,

  summary: adminProcedure(Empty)
    .meta(
      rest('GET', '/queue/summary', {
        summary: 'Get queue counts',
        isReadOnPrimary: true,
        isAgentRead: true,
        errors: { 503: [...needsMailServer[503]] },
      }),
    )
    .output(QueueSummary)
    .query(({ ctx }) => summarizeQueue(ctx)),

  flush: adminProcedure(Empty)
    .meta(
      rest('POST', '/queue/flush', {
        summary: 'Retry all deferred messages',
        description: 'Messages on hold stay on hold. Frequent use delays other mail.',
        audit: 'queue.flush',
        confirmation: 'Retries all deferred messages of the server at once.',
        errors: { 503: [...needsMailServer[503]] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx }) => flushQueue(ctx)),

  hold: adminProcedure(ByQueueId)
    .meta(
      rest('POST', '/queue/{queue_id}/hold', {
        summary: 'Hold a message',
        description:
          'No delivery is attempted until the message is released. An attempt in progress may still deliver it.',
        audit: 'queue.hold',
        confirmation: null,
        errors: { 404: ['NOT_FOUND'], 503: [...needsMailServer[503]] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => changeQueued(ctx, 'hold', input)),

  release: adminProcedure(ByQueueId)
    .meta(
      rest('POST', '/queue/{queue_id}/release', {
        summary: 'Release a held message',
        description: 'Delivery is attempted immediately.',
        audit: 'queue.release',
        confirmation: 'Releases the message, which then is delivered.',
        errors: { 404: ['NOT_FOUND'], 503: [...needsMailServer[503]] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => changeQueued(ctx, 'release', input)),

  retry: adminProcedure(ByQueueId)
    .meta(
      rest('POST', '/queue/{queue_id}/retry', {
        summary: 'Retry a message',
        description: 'Release a message on hold first.',
        audit: 'queue.retry',
        confirmation: null,
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'], 503: [...needsMailServer[503]] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => changeQueued(ctx, 'retry', input)),

  delete: adminProcedure(ByQueueId)
    .meta(
      rest('DELETE', '/queue/{queue_id}', {
        summary: 'Delete a message from the queue',
        description: 'The remaining recipients do not get the message, and its sender is not notified.',
        audit: 'queue.delete',
        confirmation: 'Deletes a message that hasn’t been delivered.',
        errors: { 404: ['NOT_FOUND'], 503: [...needsMailServer[503]] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => changeQueued(ctx, 'delete', input)),
});
