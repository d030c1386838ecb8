import type { List, ListInput } from '@/lib/lists';
import type { MailServiceStatus, Operation } from './schema';

export const operationList = {
  what: 'operations',
  path: '/orchestrator/operations',
  sorts: ['created_at'],
  file: 'operations',
  csv: [
    'id',
    'created_at',
    'host',
    'action',
    'service',
    'dry_run',
    'input',
    'state',
    'message',
    ['requested_by', ({ requested_by: admin }) => admin?.email],
    'started_at',
    'finished_at',
  ],
} satisfies List<Operation>;
export type ListOperations = ListInput<typeof operationList>;

export const serviceList = {
  what: 'services',
  fullName: 'the services of the mail server',
  path: '/orchestrator',
  file: 'services',
  csv: [
    'host',
    'service',
    'state',
    'since',
    'message',
    'version',
    'process_id',
    'started_at',
    'uptime_seconds',
    ['drift', ({ drift }) => drift?.map(({ path, kind }) => `${path} ${kind}`)],
    'drift_message',
    'custom',
    ['last_operation', ({ last_operation: last }) => last?.action],
    ['last_operation_state', ({ last_operation: last }) => last?.state],
    ['last_operation_finished_at', ({ last_operation: last }) => last?.finished_at],
    'checked_at',
  ],
} satisfies List<MailServiceStatus>;
