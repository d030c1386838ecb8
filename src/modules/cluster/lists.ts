import type { List, ListInput } from '@/lib/lists';
import type { ClusterNode } from './schema';

export const nodeList = {
  what: 'nodes',
  fullName: 'instances',
  path: '/cluster/nodes',
  sorts: ['started_at'],
  file: 'nodes',
  csv: [
    'id',
    'host',
    'process_id',
    'port',
    'version',
    'roles',
    'state',
    'alive',
    'load_average',
    'cpus',
    'memory_bytes',
    'clock_ahead_ms',
    'started_at',
    'last_heartbeat_at',
  ],
} satisfies List<ClusterNode>;
export type ListClusterNodes = ListInput<typeof nodeList>;
