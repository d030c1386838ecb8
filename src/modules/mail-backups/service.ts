import { type Finding, measured } from '@/lib/health/finding';
import { REPOSITORY_DAMAGED } from '@/lib/mail/operations';
import type { Operation } from '@/modules/services/schema';
import { startOperation } from '@/modules/services/service';
import type { Database } from '@/server/database/db';
import { notFound } from '@/server/errors';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { readPlan } from './plan';
import { isKeyOther } from './publish';
import { nextRun } from './schedule';
import type { MailBackups, MailServerBackup, MailSnapshot, RestoreMailbox, StartMailBackup } from './schema';

/** A mail server whose agent hasn't reported for this long was taken out of service. */
const FORGOTTEN_AFTER_DAYS = 7;

const FUTURE =
  'The last backup of mail is dated in the future, so its age is unknown. Check the clock of the database’s host, and that the mail agent runs.';

type Age = { host: string; seconds: number; failure: string; checkFailure: string };

export async function getMailBackups({ db }: ActorContext): Promise<MailBackups> {
  const [plan, backups, snapshots, running] = await Promise.all([
    readPlan(db),
    db.mailBackup.findMany({ orderBy: { host: 'asc' } }),
    db.mailSnapshot.findMany({ orderBy: [{ takenAt: 'desc' }, { id: 'asc' }] }),
    db.operation.findFirst({ where: { lane: 'mail_backup', finishedAt: null }, select: { id: true } }),
  ]);
  return {
    mail_servers: backups.map((row) => presentBackup(row, plan && nextRun(plan, row))),
    snapshots: snapshots.map(presentSnapshot),
    running_operation_id: running?.id ?? null,
  };
}

/** @throws MAIL_STACK_UNAVAILABLE, VALIDATION_ERROR, ORCHESTRATOR_BUSY */
export function startBackup(ctx: MutationContext, { host }: StartMailBackup): Promise<Operation> {
  return startOperation(ctx, { action: 'backup_mail', host });
}

/** @throws as {@link startBackup} */
export function checkBackups(ctx: MutationContext, { host }: StartMailBackup): Promise<Operation> {
  return startOperation(ctx, { action: 'check_mail', host });
}

/** @throws NOT_FOUND for an unknown snapshot or mailbox, and as {@link startBackup} */
export async function restoreMailbox(ctx: MutationContext, { snapshot: id, mailbox, mode }: RestoreMailbox) {
  const address = mailbox.toLowerCase();
  const at = address.lastIndexOf('@');
  const [snapshot, found] = await Promise.all([
    ctx.db.mailSnapshot.findFirst({ where: { id } }),
    ctx.db.mailbox.findFirst({
      where: { localPart: address.slice(0, at), domain: { name: address.slice(at + 1) } },
      select: { id: true, localPart: true, domain: { select: { name: true } } },
    }),
  ]);
  if (!snapshot) throw notFound('snapshot');
  if (!found) throw notFound('mailbox');
  const folder = `${found.domain.name}/${found.localPart}/${found.id}`;
  return startOperation(ctx, {
    action: 'restore_mail',
    host: snapshot.host,
    input: { snapshot: id, mailbox: address, folder, mode },
  });
}

/** How long ago mail was backed up, on each mail server that is to be. */
export async function checkMailBackups(db: Database): Promise<Finding[]> {
  const plan = await readPlan(db);
  if (!plan?.schedule) return [];
  const rows = await db.$queryRaw<Age[]>`
    SELECT host, extract(epoch FROM now() - coalesce(last_success_at, planned_since))::int AS seconds,
           failure, check_failure AS "checkFailure"
      FROM mail_backup WHERE seen_at > now() - make_interval(days => ${FORGOTTEN_AFTER_DAYS}) ORDER BY host`;
  const isOther = isKeyOther(plan);
  return rows.map(findingOf).map((finding) => (isOther && finding.status === 'ok' ? withOtherKey(finding) : finding));
}

function findingOf({ host, seconds, failure, checkFailure }: Age): Finding {
  const finding = measured('mail_backup', seconds, host);
  if (checkFailure === REPOSITORY_DAMAGED) return { ...finding, status: 'down', message: checkFailure };
  const reason = failure || (checkFailure && `The last backup couldn’t be checked. ${checkFailure}`);
  if (reason === '') return seconds < 0 ? { ...finding, status: 'degraded', message: FUTURE } : finding;
  return { ...finding, status: finding.status === 'ok' ? 'degraded' : finding.status, message: reason };
}

function withOtherKey(finding: Finding): Finding {
  const message =
    'Mail is backed up with another backup key than that of this instance. Put the same key on all instances, or choose another BACKUP_TARGET for a new repository.';
  return { ...finding, status: 'degraded', message };
}

function presentBackup(row: Prisma.MailBackupGetPayload<object>, next: Date | null): MailServerBackup {
  return {
    host: row.host,
    repository: row.repository,
    last_success_at: row.lastSuccessAt?.toISOString() ?? null,
    last_failure_at: row.lastFailureAt?.toISOString() ?? null,
    failure: row.failure,
    last_check_at: row.lastCheckAt?.toISOString() ?? null,
    check_failure: row.checkFailure,
    next_run_at: next?.toISOString() ?? null,
  };
}

function presentSnapshot(row: Prisma.MailSnapshotGetPayload<object>): MailSnapshot {
  return {
    id: row.id,
    host: row.host,
    taken_at: row.takenAt.toISOString(),
    added_bytes: numberOf(row.bytesAdded),
    size_bytes: numberOf(row.bytes),
    files: numberOf(row.files),
  };
}

function numberOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
