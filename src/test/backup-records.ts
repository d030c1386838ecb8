import { uuidv7 } from '@/lib/uuid';
import type { Prisma } from '@/server/prisma/client';
import { db } from './database';
import { unique } from './factories';

/** A record without an archive. */
export function makeBackup(over: Partial<Prisma.BackupUncheckedCreateInput> = {}) {
  const place = { name: `${unique()}.age`, location: 's3://elsewhere/prefix', host: 'elsewhere.example' };
  const done = { status: 'completed' as const, sizeBytes: 1_000, rows: 10, finishedAt: new Date() };
  return db.backup.create({ data: { trigger: 'request', ...place, ...done, ...over } });
}

/** Makes an operation that has finished. */
export function makeBackupOperation(over: Partial<Prisma.BackupOperationUncheckedCreateInput> = {}) {
  return db.backupOperation.create({ data: { ...operation(), finishedAt: new Date(), state: 'succeeded', ...over } });
}

/** An operation that another instance has just begun, unless there is one. */
export async function runBackupOperation(): Promise<void> {
  await db.backupOperation.createMany({ data: { ...operation(), startedAt: soon() }, skipDuplicates: true });
}

function operation() {
  const request = { requestId: uuidv7(), ipAddress: '127.0.0.1', userAgent: 'test' };
  const lease = { leaseToken: uuidv7(), leasedUntil: soon() };
  const action = 'verify' as const;
  return { action, backupId: uuidv7(), backupName: 'a.age', runner: 'elsewhere', ...request, ...lease };
}

function soon(): Date {
  return new Date(Date.now() + 3_600_000);
}
