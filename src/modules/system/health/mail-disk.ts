import { join } from 'node:path';
import type { Finding } from '@/lib/health/finding';
import type { Installation } from '@/mail/agent/installation';
import { checkDisk } from '@/server/machine';

/** Postfix refuses all mail while less than this many times the maximum message size is free. */
const POSTFIX_NEEDS = 1.5;
const SCARCE = 2 * POSTFIX_NEEDS;
const MB = 1_048_576;

/** The disk of the queue and that of the mailboxes, which may be the same. The worse one counts. */
export async function checkMailDisk({
  data,
  messageSizeBytes,
}: Pick<Installation, 'data' | 'messageSizeBytes'>): Promise<Finding[]> {
  const [queue, mailboxes] = await Promise.all(
    ['queue', 'mail'].map((folder) => checkDisk(['mail_disk', 'mail_inodes'], join(data, folder))),
  );
  const found = [...(queue?.findings ?? []), ...(mailboxes?.findings ?? [])];
  const worst = (name: string) =>
    found.filter((finding) => finding.name === name).sort((one, other) => (one.value ?? -1) - (other.value ?? -1))[0];
  const [disk, inodes] = [worst('mail_disk'), worst('mail_inodes')];
  const free = queue?.freeBytes ?? null;
  const isScarce = free !== null && free < SCARCE * messageSizeBytes;
  if (disk && isScarce) {
    if (free < POSTFIX_NEEDS * messageSizeBytes) disk.status = 'down';
    else if (disk.status === 'ok') disk.status = 'degraded';
    disk.message = `The disk of the queue has ${inMb(free)} free. Below ${inMb(POSTFIX_NEEDS * messageSizeBytes)}, Postfix refuses all mail.`;
  }
  return [disk, inodes].filter((finding) => finding !== undefined);
}

function inMb(bytes: number): string {
  return `${Math.floor(bytes / MB)} MB`;
}
