import { exportList, onePage } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { ExportOperations, MailServiceStatus, Operation } from './schema';
import { getServices, listOperations } from './service';

const COLUMNS = [
  'id',
  'created_at',
  'host',
  'action',
  'service',
  'dry_run',
  'input',
  'state',
  'message',
  'requested_by',
  'started_at',
  'finished_at',
] as const satisfies (keyof Operation)[];

const SERVICE_COLUMNS = [
  'host',
  'service',
  'state',
  'since',
  'message',
  'version',
  'process_id',
  'started_at',
  'uptime_seconds',
  'drift',
  'drift_message',
  'last_operation',
  'last_operation_state',
  'last_operation_finished_at',
  'checked_at',
] as const;

export function exportOperations(ctx: ActorContext, { format: _, ...filters }: ExportOperations): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'operations',
    page: (part) => listOperations(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: ({ requested_by: admin, ...operation }) => ({ ...operation, requested_by: admin?.email }),
  });
}

export async function exportServices(ctx: ActorContext): Promise<FileOutput> {
  const { services } = await getServices(ctx);
  return exportList(ctx, {
    name: 'services',
    page: onePage(services),
    columns: SERVICE_COLUMNS,
    rowOf: serviceRowOf,
  });
}

function serviceRowOf({ drift, last_operation: last, ...service }: MailServiceStatus) {
  return {
    ...service,
    drift: drift?.map(({ path, kind }) => `${path} ${kind}`),
    last_operation: last?.action,
    last_operation_state: last?.state,
    last_operation_finished_at: last?.finished_at,
  };
}
