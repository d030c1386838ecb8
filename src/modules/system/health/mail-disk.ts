import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '@/lib/health/finding';
import type { Installation } from '@/mail/agent/installation';
import { checkDisk } from '@/server/machine';

/** Postfix refuses all mail while less than this many times the maximum message size is free. */
const POSTFIX_NEEDS = 1.5;
/** Times as much as Postfix needs. */
const SCARCE = 2;
const MB = 1_048_576;

/** The disk of the queue and that of the mailboxes, which may be the same. The worse one counts. */
export async function checkMailDisk({ config, data }: Pick<Installation, 'config' | 'data'>): Promise<Finding[]> {
  const needed = POSTFIX_NEEDS * (await maxMessageBytes(config));
  const [queue, mailboxes] = await Promise.all(
    ['queue', 'mail'].map((folder) => checkDisk(['mail_disk', 'mail_inodes'], join(data, folder))),
  );
  const found = [...(queue?.findings ?? []), ...(mailboxes?.findings ?? [])];
  const worst = (name: string) =>
    found.filter((finding) => finding.name === name).sort((one, other) => (one.value ?? -1) - (other.value ?? -1))[0];
  const [disk, inodes] = [worst('mail_disk'), worst('mail_inodes')];
  const free = queue?.freeBytes ?? null;
  if (disk && free !== null && free < SCARCE * needed) {
    if (free < needed) disk.status = 'down';
    else if (disk.status === 'ok') disk.status = 'degraded';
    disk.message = `The disk of the queue has ${inMb(free)} free. Below ${inMb(needed)}, Postfix refuses all mail.`;
  }
  return [disk, inodes].filter((finding) => finding !== undefined);
}

async function maxMessageBytes(config: string): Promise<number> {
  const text = await readFile(join(config, 'postfix/main.cf'), 'utf8');
  const bytes = /^message_size_limit = (\d+)$/m.exec(text)?.[1];
  if (!bytes) throw new Error('main.cf has no message_size_limit. Run deploy/mail/install again.');
  return Number(bytes);
}

function inMb(bytes: number): string {
  return `${Math.floor(bytes / MB)} MB`;
}
