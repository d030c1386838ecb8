import type { Database } from '@/server/db';

const RETENTION_DAYS = 90;

/** Deletes operations with their output. Their audit entries stay. */
export async function deleteOldOperations(db: Database): Promise<void> {
  await db.$executeRaw`DELETE FROM operation WHERE finished_at < now() - make_interval(days => ${RETENTION_DAYS})`;
}
