import { v7 as uuidv7 } from 'uuid';
import type { EventType } from '@/lib/event-types';
import type { Tx } from '@/server/db';

type Emission = { type: EventType; messageId: string; domainId: string | null; at: Date; data: object };

/** Puts an event with its verbatim body into the outbox, in the transaction of the state that it tells. */
export async function emitEvent(tx: Tx, { type, messageId, domainId, at, data }: Emission): Promise<void> {
  const body = JSON.stringify({ id: messageId, event: type, timestamp: at.toISOString(), data });
  await tx.event.create({ select: { id: true }, data: { id: uuidv7(), type, domainId, body, createdAt: at } });
}
