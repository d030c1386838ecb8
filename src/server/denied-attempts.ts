import type { Actor } from './access/actor';
import { type AuditRow, auditRow, type Entry } from './audit';
import { inBatches } from './background/in-batches';
import type { Database, Tx } from './database/db';
import { jsonParameter } from './database/json-parameter';
import { networkOf } from './http/client-address';
import type { Prisma } from './prisma/client';
import type { Context } from './procedures/context';

const WINDOW_MS = 15 * 60 * 1000;
/** Accounts of a network, or domains of an admin, that are counted apart. */
const ACCOUNTS_PER_CALLER = 10;
/** Networks and accounts of all callers who aren't signed in that are counted apart. */
const MAX_APART = 500;
const MAX_RESOURCES = 10;
const SEVERAL = '*';
const BATCH = 500;

type Row = {
  network: string;
  action: string;
  code: string;
  account: string;
  resource: string;
  resources: string[];
  ip: string;
  userAgent: string;
  requestId: string;
  adminId: string | null;
  adminEmail: string | null;
  apiKeyId: string | null;
  domainId: string | null;
  attempts: number;
  firstAt: Date;
  lastAt: Date;
};

/**
 * Records a denied attempt. The first of a caller, action, code, and account or domain gets an entry; the others are counted,
 * for one more entry after 15 minutes. A caller is a client network, or an admin or API key that is signed in. Beyond 10
 * accounts or domains a caller's attempts count together, and beyond 500 those of all further networks, so that nobody fills
 * a log that keeps every entry.
 * @param caller who is signed in
 */
export async function recordDeniedAttempt(
  tx: Tx,
  ctx: Pick<Context, 'request' | 'clock'>,
  entry: Entry,
  caller: Actor | null,
): Promise<void> {
  const network = caller ? nameOf(caller) : networkOf(ctx.request.ip);
  const details = entry.details as { code?: string; domain_id?: string } | undefined;
  const account = caller
    ? (entry.domainId ?? details?.domain_id ?? '')
    : (entry.actor?.admin.email ?? entry.email ?? '').trim().toLowerCase();
  const code = String(details?.code ?? '');
  const row = auditRow(ctx, entry);
  const signedIn = caller && { id: caller.admin.id, email: caller.admin.email, keyId: caller.key?.id ?? null };
  // One statement, so that no attempt is counted without its entry.
  await tx.$executeRaw`
    WITH place AS (
      SELECT EXISTS (SELECT FROM denied_attempt
                      WHERE network = ${network} AND action = ${entry.action} AND code = ${code} AND account = ${account}) AS is_known,
             (SELECT count(DISTINCT account) FROM denied_attempt
               WHERE network = ${network} AND account NOT IN (${account}, ${SEVERAL})) >= ${ACCOUNTS_PER_CALLER} AS has_many,
             ${caller === null} AND (SELECT count(*) FROM denied_attempt WHERE admin_id IS NULL) >= ${MAX_APART} AS are_many
    ), counted AS (
      INSERT INTO denied_attempt AS earlier (network, action, code, account, resource, resources, ip_address, user_agent,
                                             request_id, admin_id, admin_email, api_key_id, domain_id, attempts, first_at, last_at)
      SELECT CASE WHEN are_many AND NOT is_known THEN ${SEVERAL} ELSE ${network} END, ${entry.action}, ${code},
             CASE WHEN (are_many OR has_many) AND NOT is_known THEN ${SEVERAL} ELSE ${account} END,
             ${entry.resource}, ARRAY[${entry.resource}], ${ctx.request.ip}, ${ctx.request.userAgent}, ${ctx.request.id}::uuid,
             ${signedIn?.id ?? null}::uuid, ${signedIn?.email ?? null}, ${signedIn?.keyId ?? null}::uuid,
             ${entry.domainId ?? null}::uuid, 1, ${ctx.clock.now()}, ${ctx.clock.now()}
        FROM place
          ON CONFLICT (network, action, code, account) DO UPDATE
         SET attempts = earlier.attempts + 1, last_at = excluded.last_at, request_id = excluded.request_id,
             resources = CASE
               WHEN excluded.resource = ANY (earlier.resources) OR cardinality(earlier.resources) >= ${MAX_RESOURCES}
                 THEN earlier.resources
               ELSE earlier.resources || excluded.resource END
      RETURNING account, network, attempts
    )
    INSERT INTO audit_entry
    SELECT entry.* FROM counted, jsonb_populate_record(NULL::audit_entry, CASE
      WHEN counted.network = ${SEVERAL} THEN ${jsonParameter(ofSeveral(row, { addresses: 'several', accounts: 'several' }))}::jsonb
      WHEN counted.account = ${SEVERAL} THEN ${jsonParameter(ofSeveral(row, severalOf(caller !== null)))}::jsonb
      ELSE ${jsonParameter(row)}::jsonb END) AS entry
     WHERE counted.attempts = 1`;
}

function nameOf({ admin, key }: Actor): string {
  return key ? `key:${key.id}` : `admin:${admin.id}`;
}

function severalOf(isSignedIn: boolean): object {
  return isSignedIn ? { domains: 'several' } : { accounts: 'several' };
}

/** The first entry of attempts that are counted together. */
function ofSeveral(row: AuditRow, several: object): AuditRow {
  return { ...row, domain_id: null, details: { ...(row.details as object), ...several } };
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
        RETURNING network, action, code, account, resource, resources, ip_address AS ip, user_agent AS "userAgent",
                  request_id AS "requestId", admin_id AS "adminId", admin_email AS "adminEmail", api_key_id AS "apiKeyId",
                  domain_id AS "domainId", attempts, first_at AS "firstAt", last_at AS "lastAt"`;
      const repeated = rows.filter(({ attempts }) => attempts > 1);
      await tx.auditEntry.createMany({ data: repeated.map((row) => summaryOf(row, now)) });
      return rows.length;
    });
  await inBatches(writeSome, BATCH);
}

function summaryOf(row: Row, createdAt: Date): Prisma.AuditEntryCreateManyInput {
  const { action, resource, resources, code, account, attempts, firstAt, lastAt, requestId, userAgent } = row;
  const isOfSeveral = account === SEVERAL;
  const isSignedIn = row.adminId !== null;
  return {
    adminId: row.adminId,
    adminEmail: row.adminEmail ?? (isOfSeveral || account === '' ? null : account),
    apiKeyId: row.apiKeyId,
    domainId: isOfSeveral ? null : row.domainId,
    action,
    resource,
    ipAddress: row.ip,
    userAgent,
    requestId,
    outcome: 'denied',
    details: {
      code,
      ...(isOfSeveral && severalOf(isSignedIn)),
      ...(row.network === SEVERAL && { addresses: 'several' }),
      ...(isSignedIn && account !== '' && !isOfSeveral && row.domainId === null && { domain_id: account }),
      ...(resources.length > 1 && { resources }),
      further_attempts: attempts - 1,
      first_at: firstAt.toISOString(),
      last_at: lastAt.toISOString(),
    },
    createdAt,
  };
}
