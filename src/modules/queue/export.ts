import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { ExportQueue, QueuedMessage } from './schema';
import { listQueue, summarizeQueue } from './service';

const COLUMNS = [
  'queue_id',
  'queue',
  'arrived_at',
  'from',
  'recipients',
  'recipient_count',
  'reason',
  'size',
  'id',
  'message_id',
  'subject',
] as const;

/** @throws the errors of listQueue */
export function exportQueue(ctx: ActorContext, { format: _, ...filters }: ExportQueue): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'queue',
    page: (part) => listQueue(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf,
    atMost: async () => (await summarizeQueue(ctx)).total,
  });
}

function rowOf({ recipients, message, ...queued }: QueuedMessage) {
  return {
    ...queued,
    recipients: recipients.map(({ address }) => address),
    reason: recipients.find(({ reason }) => reason !== null)?.reason ?? null,
    id: message?.id ?? null,
    message_id: message?.message_id ?? null,
    subject: message?.subject ?? null,
  };
}
