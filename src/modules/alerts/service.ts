import { authorizeDomain } from '@/server/access/authorize';
import { notFoundIfMissing, type Tx, violatedConstraint } from '@/server/database/db';
import { AppError, notFound } from '@/server/errors';
import { after, type Page, type Position, paginate, paginateFrom } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { checkAlertEmails } from './emails/outbox';
import { alertList, type ListAlerts } from './lists';
import { describeAlert, messagePartsOf } from './message';
import { emitAlert, mutedIds } from './mutes/notify';
import { type Alert, AlertKind, AlertSeverity, type UpdateAlert } from './schema';

export { checkAlertEmails, describeAlert };

export type NewAlert = {
  kind: Alert['kind'];
  subject: string;
  domainId: string | null;
  mailboxId?: string | null;
  count: number;
  expected: number;
  /** The problem and its fix, for kinds that have no text of their own. */
  text?: string;
};

type Kind = { severity: Alert['severity']; isLasting: boolean };

/** An alert about a lasting state is closed when the state ends; one about an event stays until an admin closes it. */
export const ALERT_KINDS: Record<Alert['kind'], Kind> = {
  mailbox_suspended: { severity: 'critical', isLasting: true },
  webhook_failing: { severity: 'critical', isLasting: true },
  dns_broken: { severity: 'critical', isLasting: true },
  content_store: { severity: 'critical', isLasting: true },
  system_down: { severity: 'critical', isLasting: true },
  system_degraded: { severity: 'warning', isLasting: true },
  rate_limited: { severity: 'warning', isLasting: false },
  volume_spike: { severity: 'warning', isLasting: false },
  wrong_passwords: { severity: 'warning', isLasting: false },
};

/**
 * Opens alerts, also with concurrent calls at most one per kind and subject: for a lasting state until it is closed, for
 * an event per day (UTC). One that a lasting state already has is updated.
 */
export async function openAlerts(db: Tx, alerts: NewAlert[], now: Date): Promise<void> {
  if (alerts.length === 0) return;
  for (const alert of alerts) await updateOpenAlert(db, alert);
  const data = alerts.map((alert) => {
    const { severity, isLasting } = ALERT_KINDS[alert.kind];
    return { ...alert, severity, day: isLasting ? null : now, createdAt: now };
  });
  const opened = await db.alert.createManyAndReturn({ data, skipDuplicates: true });
  for (const row of opened) if (row.notifiedAt) await emitAlert(db, row, now);
}

/** Keeps the alert about a lasting state, if it has one, at what the console and the API show of that state elsewhere. */
export async function updateOpenAlert(db: Tx, { kind, subject, count, expected, text = '' }: NewAlert): Promise<void> {
  if (!ALERT_KINDS[kind].isLasting) return;
  const isOld = [{ count: { not: count } }, { expected: { not: expected } }, { text: { not: text } }];
  await db.alert.updateMany({
    where: { kind, subject, day: null, status: { not: 'closed' }, OR: isOld },
    data: { count, expected, text },
  });
}

/** Closes the alert about a state that has ended. */
export function resolveAlert(db: Tx, { kind, subject }: Pick<NewAlert, 'kind' | 'subject'>, now: Date): Promise<void> {
  return resolveAlerts(db, { kind, subject }, now);
}

/** Closes the alerts about states of a domain that is about to be deleted, and of its webhooks. */
export function resolveDomainAlerts(db: Tx, domainId: string, now: Date): Promise<void> {
  const lasting = AlertKind.options.filter((kind) => ALERT_KINDS[kind].isLasting);
  return resolveAlerts(db, { domainId, kind: { in: lasting } }, now);
}

/** Closes the alerts about states that have ended. Emits an event about each that had one when it opened, also while it is muted. */
async function resolveAlerts(db: Tx, where: Prisma.AlertWhereInput, now: Date): Promise<void> {
  const closed = await db.alert.updateManyAndReturn({
    where: { ...where, status: { not: 'closed' } },
    data: { status: 'closed', closedAt: now, isResolved: true },
  });
  for (const row of closed) if (row.notifiedAt) await emitAlert(db, row, now);
}

/** A part of the system that is down or degraded. `subject` names it, `text` has what was found and what to do,
 * and `isDown` is null while it is not known to be over. */
export type SystemProblem = { subject: string; isDown: boolean | null; text: string; isLasting: boolean };

/**
 * Closes the alerts of problems that no longer exist, or that have become worse or better, opens one for each problem that
 * lasts and has none, and updates the others.
 */
export async function updateSystemAlerts(tx: Tx, problems: SystemProblem[], now: Date): Promise<void> {
  await resolveSystemAlerts(tx, problems, now);
  await openSystemAlerts(
    tx,
    problems.filter(({ isLasting }) => isLasting),
    now,
  );
}

async function openSystemAlerts(tx: Tx, problems: SystemProblem[], now: Date): Promise<void> {
  const known = problems.flatMap(({ isDown, ...problem }) => (isDown === null ? [] : { isDown, ...problem }));
  const alerts = known.map(({ subject, isDown, text }) => ({
    kind: kindOf(isDown),
    subject,
    text,
    domainId: null,
    count: 0,
    expected: 0,
  }));
  await openAlerts(tx, alerts, now);
}

async function resolveSystemAlerts(tx: Tx, problems: SystemProblem[], now: Date): Promise<void> {
  for (const isDown of [true, false]) {
    const lasting = problems
      .filter((problem) => problem.isDown === isDown || problem.isDown === null)
      .map(({ subject }) => subject);
    await resolveAlerts(tx, { kind: kindOf(isDown), subject: { notIn: lasting } }, now);
  }
}

function kindOf(isDown: boolean) {
  return isDown ? ('system_down' as const) : ('system_degraded' as const);
}

export function countOpenAlerts({ db }: ActorContext): Promise<number> {
  return db.alert.count({ where: { status: 'open' } });
}

/** @throws the errors of authorizeDomain */
export async function listAlerts(ctx: ActorContext, input: ListAlerts): Promise<Page<Alert>> {
  const { status, kind, severity, domain_id: domainId, since, until } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const filters = { status, kind, severity, domainId, createdAt: { gte: since, lt: until } };
  const count = (take: number) => ctx.db.alert.count({ where: filters, take });
  if (input.sort === 'severity') {
    return paginateFrom(alertList, input, {
      fetch: async (position) => ({
        rows: await withDetails(ctx.db, await findBySeverity(ctx, input, filters, position)),
      }),
      count,
      positionOf: (row: DetailedRow) => ({ value: `${row.severity} ${row.createdAt.toISOString()}`, id: row.id }),
      present,
    });
  }
  return paginate(alertList, input, {
    fetch: async ({ where, ...keyset }) =>
      withDetails(ctx.db, await ctx.db.alert.findMany({ ...keyset, where: { AND: [where, filters] } })),
    count,
    present,
  });
}

/** At most one query per severity, so that each starts at its place in an index. */
async function findBySeverity(
  { db }: ActorContext,
  { limit, order }: ListAlerts,
  filters: Prisma.AlertWhereInput,
  position: Position | null,
): Promise<Row[]> {
  const severities = order === 'asc' ? AlertSeverity.options : AlertSeverity.options.toReversed();
  const [first, at] = position ? String(position.value).split(' ') : [];
  const rows: Row[] = [];
  for (const severity of severities.slice(first ? severities.indexOf(AlertSeverity.parse(first)) : 0)) {
    if (filters.severity && filters.severity !== severity) continue;
    const isContinued = position && at && severity === first;
    const where = isContinued ? after({ value: new Date(at), id: position.id }, 'createdAt', order) : {};
    const found = await db.alert.findMany({
      where: { AND: [where, filters, { severity }] },
      orderBy: [{ createdAt: order }, { id: order }],
      take: limit + 1 - rows.length,
    });
    rows.push(...found);
    if (rows.length > limit) break;
  }
  return rows;
}

export async function getAlert({ db }: ActorContext, { id }: { id: string }): Promise<Alert> {
  return present(await requireAlert(db, id));
}

/** @throws NOT_FOUND; CONFLICT to reopen an alert whose subject has a newer open one */
export async function updateAlert(ctx: MutationContext, { id, status }: UpdateAlert): Promise<Alert> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const row = await requireAlert(tx, id);
    const data = { status, ...timesAfter(status, row, ctx.clock.now()) };
    const changed = await tx.alert.update({ where: { id }, data }).catch((error) => {
      if (violatedConstraint(error) !== null) throw hasNewerAlert(row.subject);
      return notFoundIfMissing('alert')(error);
    });
    const { id: adminId, email } = ctx.actor.admin;
    const after = { ...changed, isMuted: (await mutedIds(tx, [changed])).has(id) };
    await audit({
      resource: `alert:${id}`,
      domainId: row.domainId,
      before: presentAlone(row),
      after: presentAlone(after),
    });
    return present({ ...after, changedBy: { id: adminId, email } });
  });
}

async function requireAlert(db: Tx, id: string): Promise<DetailedRow> {
  const row = await db.alert.findUnique({ where: { id } });
  if (!row) throw notFound('alert');
  const [detailed] = await withDetails(db, [row]);
  return detailed as DetailedRow;
}

async function withDetails(db: Tx, rows: Row[]): Promise<DetailedRow[]> {
  const [muted, changedBy] = await Promise.all([mutedIds(db, rows), findChangers(db, rows)]);
  return rows.map((row) => ({ ...row, isMuted: muted.has(row.id), changedBy: changedBy.get(row.id) ?? null }));
}

/** Finds who last acknowledged or closed each of the alerts, in the audit log. */
async function findChangers(db: Tx, rows: Row[]): Promise<Map<string, Changer>> {
  const changed = rows.filter(({ acknowledgedAt, closedAt }) => acknowledgedAt ?? closedAt);
  if (changed.length === 0) return new Map();
  const found = await db.$queryRaw<{ resource: string; adminId: string; email: string }[]>`
    SELECT DISTINCT ON (resource) resource, admin_id AS "adminId", admin_email AS email
      FROM audit_entry
     WHERE resource = ANY(${changed.map(({ id }) => `alert:${id}`)})
       AND action = 'alert.update' AND outcome = 'success' AND admin_id IS NOT NULL
     ORDER BY resource, created_at DESC, id DESC`;
  return new Map(
    found.map(({ resource, adminId, email }) => [resource.slice('alert:'.length), { id: adminId, email }]),
  );
}

type Row = Prisma.AlertGetPayload<object>;
type MutableRow = Row & { isMuted: boolean };
type Changer = { id: string; email: string };
type DetailedRow = MutableRow & { changedBy: Changer | null };

function timesAfter(status: Alert['status'], { acknowledgedAt, closedAt, isResolved }: Row, now: Date) {
  if (status === 'open') return { acknowledgedAt: null, closedAt: null, isResolved: false };
  if (status === 'acknowledged') return { acknowledgedAt: acknowledgedAt ?? now, closedAt: null, isResolved: false };
  return { closedAt: closedAt ?? now, isResolved };
}

function hasNewerAlert(subject: string): AppError {
  return new AppError('CONFLICT', `${subject} has a newer alert of this kind.`);
}

function present({ changedBy, ...row }: DetailedRow): Alert {
  return { ...presentAlone(row), changed_by: row.status === 'open' ? null : changedBy };
}

/** The alert without what the audit log knows about it. */
function presentAlone(row: MutableRow): Omit<Alert, 'changed_by'> {
  return {
    id: row.id,
    kind: row.kind,
    severity: row.severity,
    status: row.status,
    subject: row.subject,
    domain_id: row.domainId,
    mailbox_id: row.mailboxId,
    message: describeAlert(row),
    ...messagePartsOf(row),
    count: row.count,
    expected: row.expected,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    acknowledged_at: row.acknowledgedAt?.toISOString() ?? null,
    closed_at: row.closedAt?.toISOString() ?? null,
    notified_at: row.notifiedAt?.toISOString() ?? null,
    muted: row.isMuted,
    resolved: row.isResolved,
  };
}
