import { uuidv7 } from '@/lib/uuid';
import { sealWaiting, storeWaiting } from '@/modules/messages/service';
import { composeMessage, newMessageId } from '@/modules/sending/composing/compose';
import type { DemoContext } from '../demo-context';
import type { DemoAdmin } from '../directory/admins';
import type { DemoDomain } from '../directory/domains';

const HOUR_MS = 3_600_000;

const MESSAGES = [
  { subject: 'Your order is ready for collection', isCancelled: false, hoursAhead: 40 },
  { subject: 'Opening hours over the holidays', isCancelled: true, hoursAhead: 90 },
];

/** A message that leaves in two days, and one that was cancelled. */
export async function seedScheduled(
  { tx, now }: DemoContext,
  { id: domainId, name }: DemoDomain,
  admin: DemoAdmin,
): Promise<void> {
  const [from, to] = [`orders@${name}`, 'ann@customers.example'];
  for (const { subject, isCancelled, hoursAhead } of MESSAGES) {
    const [id, messageId] = [uuidv7(), newMessageId(name)];
    const createdAt = new Date(now.getTime() - 3 * HOUR_MS);
    const sendAt = new Date(now.getTime() + hoursAhead * HOUR_MS);
    const message = { from: { email: from }, to: [{ email: to }], subject, text_body: 'See you soon.' };
    const { raw } = composeMessage(message, { messageId, date: sendAt });
    const waiting = await sealWaiting(id, new Uint8Array(raw));
    const status = isCancelled ? 'cancelled' : 'scheduled';
    const detail = { by: admin.email, source: 'console', session_id: null, send_at: sendAt.toISOString() };
    const accepted = { id: uuidv7(), type: 'accepted', at: createdAt, detail };
    const at = new Date(createdAt.getTime() + HOUR_MS);
    const cancelled = { id: uuidv7(), type: 'cancelled', at, detail: { by: admin.email } };
    const { rawBytes } = waiting;
    await tx.message.create({
      data: {
        ...{ id, messageId, domainId, subject, status, sendAt, createdAt, sizeBytes: rawBytes },
        ...{ direction: 'outbound', fromAddress: from, toAddresses: [to] },
        recipients: { create: { address: to, kind: 'to', status, createdAt } },
        events: { create: isCancelled ? [accepted, cancelled] : [accepted] },
        ...(!isCancelled && {
          scheduled: { create: { adminId: admin.id, isTransactional: false, rawBytes, nextAttemptAt: sendAt } },
        }),
      },
      select: { id: true },
    });
    if (!isCancelled) await storeWaiting(tx, id, waiting);
  }
}
