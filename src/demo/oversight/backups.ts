import { lastSlot } from '@/modules/backups/schedule/slots';
import { archiveName } from '@/modules/backups/target/port';
import packageJson from '../../../package.json';
import type { DemoContext } from '../demo-context';
import type { Random } from '../random';
import { after, before, DAY_MS, MINUTE_MS, SECOND_MS } from '../time';

const HOST = 'mail.postroom.example';
const BUCKET = 'postroom-backups/production';
const TIME = '03:00';
const TABLES = 52;
/** Ages of the backups that are kept by default. */
const AGES_IN_DAYS = [0, 1, 2, 3, 4, 5, 6];
const FAILED_AGE_IN_DAYS = 5;
const CHECK_AGE_IN_DAYS = 3;
const BYTES_PER_FILE = 61_000;

/** Records of backups of the database and of mail, without archives. They are in a bucket, where the demo looks for none. */
export async function seedBackups(ctx: DemoContext): Promise<void> {
  const { tx, now } = ctx;
  // So that it is finished by now.
  const last = lastSlot(TIME, before(now, 10 * MINUTE_MS));
  const slots = AGES_IN_DAYS.map((age) => before(last, age * DAY_MS));
  await tx.backup.createMany({ data: [...slots.map((dueAt) => provenBackup(ctx, dueAt)), failedBackup(ctx, last)] });
  const { _sum: stored } = await tx.mailbox.aggregate({ _sum: { usedBytes: true } });
  const bytes = Number(stored.usedBytes ?? 0);
  await tx.mailSnapshot.createMany({ data: snapshots(ctx, slots, bytes) });
  await tx.mailBackup.create({
    data: {
      host: HOST,
      repository: `s3:https://s3.eu-central-1.amazonaws.com/${BUCKET}/mail`,
      plannedSince: before(last, 30 * DAY_MS),
      seenAt: now,
      lastSuccessAt: after(last, 3 * MINUTE_MS),
      lastCheckAt: after(last, 4 * MINUTE_MS - CHECK_AGE_IN_DAYS * DAY_MS),
    },
  });
}

function provenBackup({ random, now }: DemoContext, dueAt: Date) {
  const finishedAt = after(dueAt, random.int(11, 19) * SECOND_MS);
  const rows = growing(now, dueAt, 412_000, 3_100) + random.int(0, 900);
  return {
    ...recordAt(random, dueAt),
    trigger: 'schedule' as const,
    status: 'completed' as const,
    ...{ dueAt, finishedAt, rows, sizeBytes: rows * 118 + random.int(0, 90_000) },
    ...{ checksum: hexOf(random), version: packageJson.version },
    proofState: 'proven' as const,
    proofAt: after(finishedAt, random.int(24, 41) * SECOND_MS),
    proofMessage: `Restored and compared: ${rows.toLocaleString('en')} rows in ${TABLES} tables.`,
  };
}

function failedBackup({ random }: DemoContext, last: Date) {
  const at = before(last, FAILED_AGE_IN_DAYS * DAY_MS - 7 * 60 * MINUTE_MS);
  return {
    ...recordAt(random, at),
    trigger: 'request' as const,
    status: 'failed' as const,
    finishedAt: after(at, 31 * SECOND_MS),
    error: 'Backup storage didn’t respond (connect ETIMEDOUT). Check BACKUP_TARGET, and that this host can reach it.',
  };
}

function recordAt(random: Random, at: Date) {
  return {
    id: random.uuidAt(at),
    ...{ name: archiveName(at), location: `s3://${BUCKET}`, host: HOST },
    startedAt: at,
  };
}

/**
 * @param slots the newest first
 * @param bytes what all mailboxes hold now
 */
function snapshots({ random }: DemoContext, slots: Date[], bytes: number) {
  let size = bytes;
  return slots.map((dueAt) => {
    const bytesAdded = random.int(18, 64) * 1_048_576;
    const row = {
      ...{ host: HOST, id: hexOf(random), takenAt: after(dueAt, 2 * MINUTE_MS + random.int(0, 40) * SECOND_MS) },
      ...{ files: Math.round(size / BYTES_PER_FILE), bytes: size, bytesAdded },
    };
    size -= Math.min(size, bytesAdded);
    return row;
  });
}

/** A number that was smaller by so many for each day. */
function growing(now: Date, at: Date, today: number, perDay: number): number {
  return Math.round(today - ((now.getTime() - at.getTime()) / DAY_MS) * perDay);
}

/** Like a SHA-256 sum. */
function hexOf(random: Random): string {
  return Array.from({ length: 64 }, () => random.int(0, 15).toString(16)).join('');
}
