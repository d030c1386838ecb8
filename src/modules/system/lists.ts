import type { List } from '@/lib/lists';
import type { HealthCheck } from './schema';

export const healthList = {
  what: 'checks',
  fullName: 'the health of the system',
  path: '/system/health',
  file: 'health',
  csv: [
    'name',
    'subject',
    'group',
    'title',
    'status',
    'since',
    'value',
    'unit',
    ['threshold', ({ threshold }) => threshold?.is],
    ['degraded_threshold', ({ threshold }) => threshold?.degraded],
    ['down_threshold', ({ threshold }) => threshold?.down],
    'latency_ms',
    'message',
    'fix',
    'checked_at',
  ],
} satisfies List<HealthCheck>;
