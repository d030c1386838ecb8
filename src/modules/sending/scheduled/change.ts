import { uuidv7 } from '@/lib/uuid';
import { getPermitted } from '@/modules/messages/service';
import { domainFilter, requireSender } from '@/server/access/authorize';
import type { Tx } from '@/server/database/db';
import { AppError, notFound } from '@/server/errors';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import type { RescheduleMessage } from '../schema';
import { sendTimeError } from './send-time';

/** @throws NOT_FOUND; CONFLICT if it isn't scheduled any more */
export async function cancelMessage(ctx: MutationContext, { id }: { id: string }) {
  await ctx.transaction(async ({ tx, audit }) => {
    const { domainId, sendAt } = await lockScheduled(ctx, tx, id, 'cancelled');
    await tx.message.update({ where: { id }, data: { status: 'cancelled' }, select: { id: true } });
    await tx.messageRecipient.updateMany({ where: { messageId: id }, data: { status: 'cancelled' } });
    await tx.scheduledMessage.delete({ where: { messageId: id }, select: { messageId: true } });
    await trace(ctx, tx, id, { type: 'cancelled' });
    const before = { status: 'scheduled', send_at: sendAt?.toISOString() ?? null };
    await audit({ resource: `message:${id}`, domainId, before, after: { ...before, status: 'cancelled' } });
  });
  return getPermitted(ctx, { id });
}

/** Changes when a message leaves. A time in the past is now. @throws NOT_FOUND, VALIDATION_ERROR; CONFLICT as {@link cancelMessage} */
export async function rescheduleMessage(ctx: MutationContext, { id, send_at }: RescheduleMessage) {
  const [now, wanted] = [ctx.clock.now(), new Date(send_at)];
  const message = sendTimeError(wanted, now);
  if (message) {
    throw new AppError('VALIDATION_ERROR', `send_at: ${message}`, {
      details: { fields: [{ path: 'send_at', message }] },
    });
  }
  const sendAt = wanted < now ? now : wanted;
  await ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const before = await lockScheduled(ctx, tx, id, 'rescheduled');
    await tx.message.update({ where: { id }, data: { sendAt }, select: { id: true } });
    await tx.scheduledMessage.update({
      where: { messageId: id },
      data: { nextAttemptAt: sendAt, leaseToken: null },
      select: { messageId: true },
    });
    const after = { send_at: sendAt.toISOString() };
    await trace(ctx, tx, id, { type: 'rescheduled', ...after });
    const { domainId } = before;
    await audit({
      resource: `message:${id}`,
      domainId,
      before: { send_at: before.sendAt?.toISOString() ?? null },
      after,
    });
  });
  return getPermitted(ctx, { id });
}

/** Locks a message that has not left. An instance that is about to send it finds that it may not any more. */
async function lockScheduled(ctx: ActorContext, tx: Tx, id: string, verb: string) {
  await tx.$queryRaw`SELECT FROM message WHERE id = ${id}::uuid FOR UPDATE`;
  const found = await tx.message.findFirst({
    where: { AND: [{ id }, domainFilter(ctx.actor)] },
    select: { domainId: true, status: true, sendAt: true, fromAddress: true },
  });
  if (!found) throw notFound('message');
  requireSender(ctx.actor, found.fromAddress);
  const { status } = found;
  if (status === 'scheduled') return found;
  const reason = REASONS[status] ?? `Its status is ${status}.`;
  throw new AppError('CONFLICT', `Only scheduled messages can be ${verb}. ${reason}`, { details: { status } });
}

const REASONS: Partial<Record<string, string>> = {
  submitting: 'The message is being sent.',
  sent: 'The message has left.',
  cancelled: 'The message was cancelled.',
};

async function trace(
  ctx: ActorContext,
  tx: Tx,
  messageId: string,
  { type, ...more }: { type: string; send_at?: string },
) {
  const detail = { by: ctx.actor.admin.email, ...more };
  await tx.messageEvent.create({
    data: { id: uuidv7(), messageId, type, at: ctx.clock.now(), detail },
    select: { id: true },
  });
}
