import { uuidv7 } from '@/lib/uuid';
import type { Database, Tx } from '@/server/database/db';
import { log } from '@/server/log';
import type { OnChecked } from '../checking/check';
import type { CheckedRecord } from '../checking/check-record';
import type { DomainDns } from '../schema';

const SAVE_AFTER_MS = 250;

/**
 * Reports what a check finds while it runs, in the database, so that every instance can show it. The report ends when the
 * result of the check is stored.
 */
export async function reportProgress(db: Database, domainId: string) {
  const checkId = uuidv7();
  await db.$executeRaw`
    INSERT INTO dns_check (domain_id, check_id) SELECT id, ${checkId}::uuid FROM domain WHERE id = ${domainId}::uuid
    ON CONFLICT (domain_id) DO UPDATE SET check_id = excluded.check_id, started_at = now(), total = 0, records = '[]'`;
  const records: CheckedRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let total = 0;
  let saving = Promise.resolve();

  const save = () => {
    timer = undefined;
    const data = { total, records: [...records] };
    saving = saving
      .then(async () => void (await db.dnsCheck.updateMany({ where: { domainId, checkId }, data })))
      .catch((error: unknown) => log.error({ error, domain_id: domainId }, 'saving the progress of a check failed'));
  };
  const onChecked: OnChecked = (record, count) => {
    records.push(record);
    total = count;
    timer ??= setTimeout(save, SAVE_AFTER_MS);
  };
  return {
    onChecked,
    /** Nothing is saved after it. */
    end: async () => {
      clearTimeout(timer);
      await saving;
    },
    cancel: async () => {
      clearTimeout(timer);
      await saving;
      await db.dnsCheck.deleteMany({ where: { domainId, checkId } });
    },
  };
}

/** The check of the domain that is running. One that was cut off by a crash is not. */
export async function readProgress(db: Tx, domainId: string): Promise<DomainDns['check']> {
  const [running] = await db.$queryRaw<{ startedAt: Date; total: number; records: CheckedRecord[] }[]>`
    SELECT started_at AS "startedAt", total, records FROM dns_check
     WHERE domain_id = ${domainId}::uuid AND started_at > now() - interval '20 seconds'`;
  if (!running) return null;
  const { startedAt, total, records } = running;
  return { started_at: startedAt.toISOString(), total, records };
}
