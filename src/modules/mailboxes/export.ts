import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { ExportMailboxes, Mailbox } from './schema';
import { listMailboxes } from './service';

export const EXPORTED = [
  'id',
  'email',
  'display_name',
  'active',
  'suspended',
  'suspended_at',
  'suspension_reason',
  'suspension_note',
  'quota_bytes',
  'used_bytes',
  'percent_full',
  'domain_id',
  'created_at',
  'updated_at',
] as const satisfies (keyof Mailbox)[];

/** @throws the errors of listMailboxes */
export function exportMailboxes(ctx: ActorContext, { format: _, ...filters }: ExportMailboxes): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'mailboxes',
    page: (part) => listMailboxes(ctx, { ...filters, ...part }),
    columns: EXPORTED,
    rowOf: (item) => item,
  });
}
