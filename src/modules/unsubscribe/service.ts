import { createHash } from 'node:crypto';
import { uuidv7 } from '@/lib/uuid';
import { emitEvent } from '@/modules/events/service';
import { type EventLabels, eventLabelsOf } from '@/modules/messages/schema';
import { endUnsubscription, isUnsubscribed, suppressFrom } from '@/modules/suppressions/service';
import type { Database, Tx } from '@/server/database/db';
import { isLinkChangeRecorded } from '@/server/limits/rate-limit';
import { type Subscription, subscriptionOf } from '@/server/secrets/unsubscribe-token';

/** A mailing list and one of its recipients, whose link says so. */
export type Recipient = Subscription & { domain: { id: string; name: string } };

/** Returns null if the link is invalid, or its domain isn't managed here any more. */
export async function findRecipient(db: Tx, token: string): Promise<Recipient | null> {
  const subscription = subscriptionOf(token);
  if (!subscription) return null;
  const name = subscription.messageId.replace(/^.*@|>$/g, '');
  const domain = await db.domain.findUnique({ where: { name }, select: { id: true, name: true } });
  return domain && { ...subscription, domain };
}

export function hasUnsubscribed(db: Tx, { email, list, domain }: Recipient, at: Date): Promise<boolean> {
  return isUnsubscribed(db, { email, list, domainId: domain.id, at });
}

/**
 * Suppresses the list for the recipient, with trace and event. The second time, nothing changes. After a few changes in a day, those that
 * follow are made without trace and event, or somebody with a link could add any number of them.
 */
export async function unsubscribe(db: Database, recipient: Recipient, at: Date): Promise<void> {
  const { email, list, domain } = recipient;
  if (await hasUnsubscribed(db, recipient, at)) return;
  const isRecorded = await isLinkChangeRecorded(nameOf(recipient));
  await db.$transaction(async (tx) => {
    const sent = await findSent(tx, recipient);
    const about = { email, list, domainId: domain.id, sourceMessageId: sent?.id ?? null };
    const detail = `Unsubscribed from ${list}`;
    if (!(await suppressFrom(tx, { ...about, reason: 'unsubscribe', detail, at })) || !isRecorded) return;
    await addToTrace(tx, sent, 'unsubscribed', recipient, at);
    const { messageId } = recipient;
    const labels = sent ? eventLabelsOf(sent as EventLabels) : {};
    const data = { message_id: messageId, recipient: email, domain: domain.name, list, ...labels };
    const subject = { messageId, messageRowId: sent?.id ?? null, domainId: domain.id };
    await emitEvent(tx, { type: 'mail.unsubscribed', ...subject, at, data });
  });
}

/** Ends what `unsubscribe` began, and is recorded as often. Other suppressions of the address hold. */
export async function resubscribe(db: Database, recipient: Recipient, at: Date): Promise<void> {
  const { email, list, domain } = recipient;
  if (!(await hasUnsubscribed(db, recipient, at))) return;
  const isRecorded = await isLinkChangeRecorded(nameOf(recipient));
  await db.$transaction(async (tx) => {
    if (!(await endUnsubscription(tx, { email, list, domainId: domain.id })) || !isRecorded) return;
    await addToTrace(tx, await findSent(tx, recipient), 'resubscribed', recipient, at);
  });
}

/** A name for the link of a message to one recipient, of the same length for all. */
function nameOf({ messageId, email }: Recipient): string {
  return createHash('sha256').update(`${messageId} ${email}`).digest('hex');
}

type Sent = { id: string; tags: unknown; metadata: unknown; template: unknown };

/** The message whose link it is, unless it was deleted since. */
async function findSent(tx: Tx, { messageId, domain }: Recipient): Promise<Sent | null> {
  return tx.message.findFirst({
    where: { messageId, domainId: domain.id, direction: 'outbound' },
    orderBy: { createdAt: 'desc' },
    select: { id: true, tags: true, metadata: true, template: true },
  });
}

async function addToTrace(
  tx: Tx,
  sent: Sent | null,
  type: 'unsubscribed' | 'resubscribed',
  { email: recipient, list }: Recipient,
  at: Date,
): Promise<void> {
  if (!sent) return;
  await tx.messageEvent.create({
    data: { id: uuidv7(), messageId: sent.id, type, at, recipient, detail: { list } },
    select: { id: true },
  });
}
