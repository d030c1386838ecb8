import { hasRole } from '@/lib/access/roles';
import { authorizeDomain } from '@/server/access/authorize';
import { lock } from '@/server/database/advisory-locks';
import { isForeignKeyViolation, type Tx } from '@/server/database/db';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { alertMuteList, type ListAlertMutes, MAX_MUTES } from '../lists';
import { notifyUnmuted } from './notify';
import { type AlertMute, type CreateAlertMute, maxMuteHours, maxMuteText } from './schema';

const HOUR_MS = 3_600_000;
/** Tolerated clock difference of the caller, who chooses an end in 24 hours. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** The mutes that have not ended. */
export function listAlertMutes({ db, clock }: ActorContext, input: ListAlertMutes): Promise<Page<AlertMute>> {
  const current = currentAt(clock.now());
  return paginate(alertMuteList, input, {
    fetch: ({ where, ...page }) =>
      db.alertMute.findMany({ ...page, where: { AND: [where, current] }, include: INCLUDED }),
    count: (take) => db.alertMute.count({ where: current, take }),
    present,
  });
}

/**
 * Mutes alerts, in place of a mute of the same alerts. Emails about them that wait are held.
 * @throws VALIDATION_ERROR for an end that has passed or is too late; CONFLICT if there are too many; the errors of authorizeDomain
 */
export async function createAlertMute(ctx: MutationContext, input: CreateAlertMute): Promise<AlertMute> {
  const { kind, severity, domain_id: domainId, subject, reason, ends_at: endsAt } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  requireEnd(ctx, input);
  const { id: createdBy, email: createdByEmail } = ctx.actor.admin;
  return ctx
    .transaction(async ({ tx, audit }) => {
      await lock(tx, 'alertMutes');
      const before = await findMute(tx, input);
      if (!before && (await tx.alertMute.count({ where: currentAt(ctx.clock.now()) })) >= MAX_MUTES) throw tooMany();
      const data = { reason, endsAt, createdBy, createdByEmail, createdAt: ctx.clock.now() };
      const mute = before
        ? await tx.alertMute.update({ where: { id: before.id }, data, include: INCLUDED })
        : await tx.alertMute.create({ data: { ...data, kind, severity, domainId, subject }, include: INCLUDED });
      const after = present(mute);
      await audit({ resource: `alert_mute:${mute.id}`, domainId, before: before && present(before), after });
      return after;
    })
    .catch((error) => {
      if (!isForeignKeyViolation(error)) throw error;
      throw new AppError('DOMAIN_NOT_FOUND', 'The domain was deleted in the meantime.');
    });
}

/** Ends a mute. Alerts that are still open notify now, unless another mute applies to them. */
export async function deleteAlertMute(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit }) => {
    const row = await tx.alertMute.findUnique({ where: { id }, include: INCLUDED });
    // Milliseconds, as in the table, so that it ends before the next statement.
    const ended = await tx.$executeRaw`
      UPDATE alert_mute SET ends_at = date_trunc('milliseconds', now())
       WHERE id = ${id}::uuid AND (ends_at IS NULL OR ends_at > now())`;
    if (!row || ended === 0) throw notFound('alert mute');
    await notifyUnmuted(tx, ctx.clock.now());
    await audit({ resource: `alert_mute:${id}`, domainId: row.domainId, before: present(row), after: null });
    return { message: 'Alerts unmuted.' };
  });
}

/** Finds the mute of the same alerts. Deletes it instead if it has ended: a new one takes over its alerts. */
async function findMute(
  tx: Tx,
  { kind, severity, domain_id: domainId, subject }: CreateAlertMute,
): Promise<Row | null> {
  const [same] = await tx.$queryRaw<{ id: string; hasEnded: boolean }[]>`
    SELECT id, coalesce(ends_at <= now(), false) AS "hasEnded" FROM alert_mute
     WHERE (kind, severity, domain_id, lower(subject))
           IS NOT DISTINCT FROM (${kind}::alert_kind, ${severity}::alert_severity, ${domainId}::uuid, lower(${subject}))`;
  if (!same) return null;
  if (!same.hasEnded) return tx.alertMute.findUniqueOrThrow({ where: { id: same.id }, include: INCLUDED });
  await tx.alertMute.delete({ where: { id: same.id }, select: { id: true } });
  return null;
}

function currentAt(now: Date) {
  return { OR: [{ endsAt: null }, { endsAt: { gt: now } }] };
}

function requireEnd({ clock, actor }: MutationContext, input: CreateAlertMute): void {
  const now = clock.now().getTime();
  const end = input.ends_at === null ? Infinity : new Date(input.ends_at).getTime();
  if (end <= now) throw invalidEnd('Enter a time in the future.');
  const hours = maxMuteHours(input, hasRole(actor.admin.role, 'super_admin'));
  if (hours !== null && end > now + hours * HOUR_MS + CLOCK_TOLERANCE_MS) throw invalidEnd(maxMuteText(hours));
}

function invalidEnd(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'ends_at', message }] } });
}

function tooMany(): AppError {
  return new AppError('CONFLICT', `There are ${MAX_MUTES} mutes. Unmute alerts first, or mute a whole kind or domain.`);
}

const INCLUDED = { domain: { select: { name: true } } } satisfies Prisma.AlertMuteInclude;

type Row = Prisma.AlertMuteGetPayload<{ include: typeof INCLUDED }>;

function present(row: Row): AlertMute {
  return {
    id: row.id,
    kind: row.kind,
    severity: row.severity,
    domain_id: row.domainId,
    domain: row.domain?.name ?? null,
    subject: row.subject,
    reason: row.reason,
    ends_at: row.endsAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    created_by: { id: row.createdBy, email: row.createdByEmail },
  };
}
