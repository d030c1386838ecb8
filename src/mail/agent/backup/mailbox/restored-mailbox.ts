import { formatBytes } from '@/lib/format';
import type { Run } from '../../operations/operation';
import { BackupFailure } from '../restic';
import type { doveadmFor } from './doveadm';
import type { Work } from './work';

/** The paths and functions that a restore works with. */
export type RestoredMailbox = {
  doveadm: ReturnType<typeof doveadmFor>;
  /** The folder of the mailbox, with its mail and scripts. */
  home: string;
  /** The same, below the folder of all mail. */
  folder: string;
  work: Work;
  /** The mail of the snapshot. */
  restored: string;
  run: Run;
};

/** @throws BackupFailure if the mailbox would be over its quota, since new mail would be rejected */
export async function requireRoom(doveadm: RestoredMailbox['doveadm'], bytes: number): Promise<void> {
  const quota = await doveadm.quotaBytes();
  if (quota === null || bytes <= quota) return;
  throw new BackupFailure(
    'full',
    `The mailbox would be ${formatBytes(bytes - quota)} over its quota. Raise the quota first.`,
  );
}
