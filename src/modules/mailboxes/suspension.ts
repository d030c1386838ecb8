import { resolveAlert } from '@/modules/alerts/service';
import { notFoundIfMissing } from '@/server/database/db';
import { AppError } from '@/server/errors';
import type { AuditedTransaction, MutationContext } from '@/server/procedures/mutation';
import type { Mailbox, SuspendMailbox, UnsuspendMailbox } from './schema';
import { FIELDS, present, requireMailbox } from './service';

/** Stops sending immediately; the mailbox still receives mail. @throws NOT_FOUND; CONFLICT if already suspended */
export async function suspendMailbox(ctx: MutationContext, { id, reason }: SuspendMailbox): Promise<Mailbox> {
  return ctx.transaction(async (transaction) => {
    const { tx } = transaction;
    const before = present(await requireMailbox(ctx, tx, id));
    const { count } = await tx.mailbox.updateMany({
      where: { id, suspendedAt: null },
      data: { suspendedAt: ctx.clock.now(), suspensionReason: 'manual', suspensionNote: reason },
    });
    if (count === 0) throw new AppError('CONFLICT', `Mailbox ${before.email} is already suspended.`);
    return finish(transaction, before);
  });
}

/** Resets the hourly count. @throws NOT_FOUND; CONFLICT if not suspended */
export async function unsuspendMailbox(ctx: MutationContext, { id, note }: UnsuspendMailbox): Promise<Mailbox> {
  return ctx.transaction(async (transaction) => {
    const { tx } = transaction;
    const before = present(await requireMailbox(ctx, tx, id));
    const { count } = await tx.mailbox.updateMany({
      where: { id, suspendedAt: { not: null } },
      data: { suspendedAt: null, suspensionReason: null, suspensionNote: '', rateCountedFrom: ctx.clock.now() },
    });
    if (count === 0) throw new AppError('CONFLICT', `Mailbox ${before.email} is not suspended.`);
    await resolveAlert(tx, { kind: 'mailbox_suspended', subject: before.email }, ctx.clock.now());
    return finish(transaction, before, note ? { note } : {});
  });
}

async function finish({ tx, audit }: AuditedTransaction, before: Mailbox, details: object = {}): Promise<Mailbox> {
  const row = await tx.mailbox
    .findUniqueOrThrow({ where: { id: before.id }, select: FIELDS })
    .catch(notFoundIfMissing('mailbox'));
  const after = present(row);
  await audit({ resource: `mailbox:${before.id}`, domainId: before.domain_id, before, after, details });
  return after;
}
