import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { Backup, ExportBackups } from '../schema';
import { listBackups } from '../service';

const COLUMNS = [
  'id',
  'started_at',
  'finished_at',
  'status',
  'trigger',
  'name',
  'location',
  'size_bytes',
  'checksum',
  'version',
  'rows',
  'due_at',
  'attempts',
  'next_attempt_at',
  'error',
  'proof_state',
  'proof_at',
  'proof_message',
] as const;

export function exportBackups(ctx: ActorContext, { format: _, ...filters }: ExportBackups): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'backups',
    page: (part) => listBackups(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf,
  });
}

function rowOf({ proof, ...backup }: Backup) {
  return { ...backup, proof_state: proof.state, proof_at: proof.at, proof_message: proof.message };
}
