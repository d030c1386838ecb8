import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { ExportMessages, MessageSummary } from '../schema';
import { listMessages } from '../service';

const COLUMNS = [
  'id',
  'created_at',
  'direction',
  'status',
  'outcomes',
  'from',
  'to',
  'subject',
  'size',
  'message_id',
  'queue_id',
  'domain_id',
  'spam_score',
  'updated_at',
] as const satisfies (keyof MessageSummary)[];

/** @throws the errors of listMessages */
export function exportMessages(ctx: ActorContext, { format: _, ...filters }: ExportMessages): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'messages',
    page: (part) => listMessages(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: ({ outcomes, ...message }) => ({
      ...message,
      outcomes: outcomes.map(({ status, recipients }) => `${recipients} ${status}`),
    }),
  });
}
