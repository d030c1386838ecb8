import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { Admin, ExportAdmins } from './schema';
import { listAdmins } from './service';

const COLUMNS = [
  'id',
  'email',
  'role',
  'totp_enabled',
  'last_login_at',
  'domain_ids',
  'created_at',
] as const satisfies (keyof Admin)[];

/** @throws the errors of listAdmins */
export function exportAdmins(ctx: ActorContext, { format: _, ...filters }: ExportAdmins): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'admins',
    page: (part) => listAdmins(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}
