import { uuidv7 } from '@/lib/uuid';
import { authorizeDomain } from '@/server/access/authorize';
import { isForeignKeyViolation, notFoundIfMissing, type Tx } from '@/server/db';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { notifyUnmuted } from './notify';
import type { AlertMute, CreateAlertMute, ListAlertMutes } from './schema';

/** Each alert that opens is compared with all of them. */
const MAX_MUTES = 500;

/** The mutes that have not ended. */
export function listAlertMutes({ db, clock }: ActorContext, input: ListAlertMutes): Promise<Page<AlertMute>> {
  const current = { OR: [{ endsAt: null }, { endsAt: { gt: clock.now() } }] };
  return paginate('alert mutes', input, {
    column: 'createdAt',
    fetch: ({ where, ...page }) =>
      db.alertMute.findMany({ ...page, where: { AND: [where, current] }, include: INCLUDED }),
    count: (take) => db.alertMute.count({ where: current, take }),
    present,
  });
}

/**
 * Mutes alerts, in place of a mute of the same alerts. Emails about them that wait are not sent.
 * @throws VALIDATION_ERROR for an end that has passed; CONFLICT if there are too many; the errors of authorizeDomain
 */
export async function createAlertMute(ctx: MutationContext, input: CreateAlertMute): Promise<AlertMute> {
  const { kind, severity, domain_id: domainId, subject, reason, ends_at: endsAt } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  if (endsAt !== null && new Date(endsAt) <= ctx.clock.now()) throw hasEnded();
  const { id: createdBy, email: createdByEmail } = ctx.actor.admin;
  return ctx
    .transaction(async ({ tx, audit }) => {
      await tx.$executeRaw`DELETE FROM alert_mute WHERE ends_at <= now()`;
      if ((await tx.alertMute.count()) >= MAX_MUTES) throw tooMany();
      const where = { kind, severity, domainId, subject };
      const before = await tx.alertMute.findFirst({ where, include: INCLUDED });
      const data = { reason, endsAt, createdBy, createdByEmail, createdAt: ctx.clock.now() };
      const { id } = before ?? { id: uuidv7() };
      // One statement, so that two at once make one row.
      await tx.$executeRaw`
        INSERT INTO alert_mute (id, kind, severity, domain_id, subject, reason, ends_at, created_by, created_by_email, created_at)
        VALUES (${id}::uuid, ${kind}::alert_kind, ${severity}::alert_severity, ${domainId}::uuid, ${subject}, ${data.reason},
                ${data.endsAt}::timestamptz, ${createdBy}::uuid, ${createdByEmail}, ${data.createdAt})
            ON CONFLICT (kind, severity, domain_id, subject) DO UPDATE
           SET reason = excluded.reason, ends_at = excluded.ends_at, created_by = excluded.created_by,
               created_by_email = excluded.created_by_email, created_at = excluded.created_at`;
      const row = await tx.alertMute.findFirstOrThrow({ where, include: INCLUDED });
      await dropWaitingEmails(tx);
      const mute = present(row);
      await audit({
        resource: `alert_mute:${row.id}`,
        domainId,
        before: before && present(before),
        after: mute,
      });
      return mute;
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
    if (!row) throw notFound('alert mute');
    await tx.alertMute.delete({ where: { id }, select: { id: true } }).catch(notFoundIfMissing('alert mute'));
    await notifyUnmuted(tx, ctx.clock.now());
    await audit({ resource: `alert_mute:${id}`, domainId: row.domainId, before: present(row), after: null });
    return { message: 'Alerts unmuted.' };
  });
}

/** An alert whose email was still waiting counts as not notified, so that it is emailed if it outlasts the mute. */
async function dropWaitingEmails(tx: Tx): Promise<void> {
  await tx.$executeRaw`
    WITH dropped AS (
      DELETE FROM alert_email e USING alert a
       WHERE a.id = e.alert_id AND e.sent_at IS NULL AND e.missing = '{}'
             AND alert_is_muted(a.kind, a.severity, a.domain_id, a.subject)
      RETURNING e.alert_id, e.change
    )
    UPDATE alert SET notified_at = NULL FROM dropped WHERE alert.id = alert_id AND change = 'opened' AND status <> 'closed'`;
}

function hasEnded(): AppError {
  const message = 'Enter a time in the future.';
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
