import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import { listDeliveries } from './deliveries';
import type { Delivery, ExportDeliveries } from './schema';

const COLUMNS = [
  'id',
  'created_at',
  'event',
  'event_id',
  'stored_message_id',
  'recipient',
  'is_test',
  'status',
  'attempt_count',
  'attempts_left',
  'last_attempt_at',
  'last_status_code',
  'last_failure',
  'last_answer',
  'next_attempt_at',
  'finished_at',
] as const;

/** @throws NOT_FOUND */
export function exportDeliveries(ctx: ActorContext, { format: _, ...filters }: ExportDeliveries): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'webhook-deliveries',
    page: (part) => listDeliveries(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf,
  });
}

function rowOf({ attempts, ...delivery }: Delivery) {
  const last = attempts.at(-1);
  return {
    ...delivery,
    last_attempt_at: last?.started_at,
    last_status_code: last?.status_code,
    last_failure: last?.failure,
    last_answer: last?.answer,
  };
}
