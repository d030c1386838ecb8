import type { BackupOperation } from '../schema';

export function amountOf(count: number): string {
  return count.toLocaleString('en');
}

const RUNNING: Record<BackupOperation['action'], string> = {
  create: 'A backup is being made',
  verify: 'A backup is being verified',
  prove: 'A backup is being proven',
  preview: 'A dry run of a restore is running',
  restore: 'A backup is being restored',
};

type Running = { action: BackupOperation['action']; backupName: string; runner: string };

/** Why another operation can't start. */
export function runningText({ action, backupName, runner }: Running): string {
  return `${RUNNING[action]} (${backupName}, by ${runner}). Wait until it is finished.`;
}
