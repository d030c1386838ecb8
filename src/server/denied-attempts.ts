import { type Entry, insertAuditEntry } from './audit';
import { inBatches } from './background/in-batches';
import type { Database, Tx } from './db';
import { networkOf } from './http/client-address';
import type { Prisma } from './prisma/client';
import type { Context } from './procedures/context';

const WINDOW_MS = 15 * 60 * 1000;
const ACCOUNTS_PER_NETWORK = 10;
const SEVERAL = '*';
const BATCH = 500;

type Row = {
  action: string;
  code: string;
  account: string;
  resource: string;
  ip: string;
  userAgent: string;
  requestId: string;
  attempts: number;
  firstAt: Date;
  lastAt: Date;
};

/**
 * Records a denied attempt of somebody who isn't signed in. The first of a client network, account and code gets an entry;
 * the others are counted, for one more entry after 15 minutes. Beyond 10 accounts a network's attempts count together, so
 * that nobody fills a log that keeps every entry.
 */
export async function recordDeniedAttempt(
  tx: Tx,
  ctx: Pick<Context, 'request' | 'clock'>,
  entry: Entry,
): Promise<void> {
  const network = networkOf(ctx.request.ip);
  const account = (entry.actor?.admin.email ?? entry.email ?? '').trim().toLowerCase();
  const code = String((entry.details as { code?: string } | undefined)?.code ?? '');
  const now = ctx.clock.now();
  const [counted] = await tx.$queryRaw<{ account: string; attempts: number }[]>`
    INSERT INTO denied_attempt AS earlier (network, action, code, account, resource, ip_address, user_agent, request_id,
                                           attempts, first_at, last_at)
    SELECT ${network}, ${entry.action}, ${code},
           CASE WHEN (SELECT count(DISTINCT account) FROM denied_attempt
                       WHERE network = ${network} AND account NOT IN (${account}, ${SEVERAL})) < ${ACCOUNTS_PER_NETWORK}
                THEN ${account} ELSE ${SEVERAL} END,
           ${entry.resource}, ${ctx.request.ip}, ${ctx.request.userAgent}, ${ctx.request.id}::uuid, 1, ${now}, ${now}
        ON CONFLICT (network, action, code, account) DO UPDATE
       SET attempts = earlier.attempts + 1, last_at = ${now}, request_id = excluded.request_id
    RETURNING account, attempts`;
  if (counted?.attempts !== 1) return;
  const isOfSeveral = counted.account === SEVERAL;
  await insertAuditEntry(
    tx,
    ctx,
    isOfSeveral ? { ...entry, details: { ...entry.details, accounts: 'several' } } : entry,
  );
}

/** Writes an entry for the attempts that were counted in windows that are over. Any instance may run it. */
export async function writeCountedAttempts(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - WINDOW_MS);
  const writeSome = (size: number) =>
    db.$transaction(async (tx) => {
      const rows = await tx.$queryRaw<Row[]>`
        DELETE FROM denied_attempt WHERE (network, action, code, account) IN (
          SELECT network, action, code, account FROM denied_attempt WHERE first_at <= ${before}
           ORDER BY first_at LIMIT ${size} FOR UPDATE SKIP LOCKED)
        RETURNING action, code, account, resource, ip_address AS ip, user_agent AS "userAgent",
                  request_id AS "requestId", attempts, first_at AS "firstAt", last_at AS "lastAt"`;
      const repeated = rows.filter(({ attempts }) => attempts > 1);
      await tx.auditEntry.createMany({ data: repeated.map((row) => summaryOf(row, now)) });
      return rows.length;
    });
  await inBatches(writeSome, BATCH);
}

function summaryOf(row: Row, createdAt: Date): Prisma.AuditEntryCreateManyInput {
  const { action, resource, code, account, attempts, firstAt, lastAt, requestId, userAgent } = row;
  return {
    adminEmail: account === SEVERAL || account === '' ? null : account,
    action,
    resource,
    ipAddress: row.ip,
    userAgent,
    requestId,
    outcome: 'denied',
    details: {
      code,
      ...(account === SEVERAL && { accounts: 'several' }),
      further_attempts: attempts - 1,
      first_at: firstAt.toISOString(),
      last_at: lastAt.toISOString(),
    },
    createdAt,
  };
}
