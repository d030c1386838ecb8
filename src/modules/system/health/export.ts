import { exportList, onePage } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { HealthCheck } from '../schema';
import { getSystemHealth } from './read';

const COLUMNS = [
  'name',
  'subject',
  'group',
  'title',
  'status',
  'since',
  'value',
  'unit',
  'threshold',
  'degraded_threshold',
  'down_threshold',
  'latency_ms',
  'message',
  'fix',
  'checked_at',
] as const;

export async function exportHealth(ctx: ActorContext): Promise<FileOutput> {
  const { checks } = await getSystemHealth(ctx);
  return exportList(ctx, { name: 'health', page: onePage(checks), columns: COLUMNS, rowOf });
}

function rowOf({ threshold, ...check }: HealthCheck) {
  return {
    ...check,
    threshold: threshold?.is,
    degraded_threshold: threshold?.degraded,
    down_threshold: threshold?.down,
  };
}
