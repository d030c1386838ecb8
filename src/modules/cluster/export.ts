import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { ClusterNode, ExportClusterNodes } from './schema';
import { listNodes } from './service';

const COLUMNS = [
  'id',
  'host',
  'process_id',
  'version',
  'roles',
  'state',
  'alive',
  'load_average',
  'memory_bytes',
  'clock_ahead_ms',
  'started_at',
  'last_heartbeat_at',
] as const satisfies (keyof ClusterNode)[];

export function exportNodes(ctx: ActorContext, { format: _, ...filters }: ExportClusterNodes): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'nodes',
    page: (part) => listNodes(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}
