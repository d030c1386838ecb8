import { ALL_EVENTS, type EventType } from '@/lib/event-types';
import { uuidv7 } from '@/lib/uuid';
import type { Tx } from '@/server/database/db';
import type { EventData } from './payloads';
import { sampleData } from './sample-data';
import { eventBody } from './schema';

export type { EventData };

const MAX_INLINE_BYTES = 64 * 1024;
const PART_BYTES = 512 * 1024;

/** `messageRowId` is the id of the stored message, `domainId` the domain whose webhooks receive the event. */
type EventSubject = {
  type: EventType;
  messageRowId: string | null;
  domainId: string | null;
  recipient: string;
  at: Date;
};

export type NewEvent = Omit<EventSubject, 'recipient' | 'type'> & {
  /** The Message-ID; null for an event that is not about a message. */
  messageId: string | null;
} & TypedData;

/** The type of an event with the data that it has. */
export type TypedData<Types extends EventType = EventType> = {
  [Type in Types]: { type: Type; data: EventData[Type] };
}[Types];

/**
 * Stores an event and a delivery for each subscribed webhook, in the transaction of the change that it reports. Call
 * `kickDeliveries` after the commit, or the deliveries wait for the next sweep.
 */
export async function emitEvent(tx: Tx, event: NewEvent): Promise<void> {
  await storeEvents(tx, [encodeEvent(event)]);
}

/** Returns an event as the SQL function emit_events stores it, for statements that call that function. */
export function encodeEvent({ type, messageId, messageRowId, domainId, at, data }: NewEvent): object {
  const id = uuidv7();
  const body = eventBody({ type, id: messageId ?? id, at, data });
  return { id, type, domain_id: domainId, message_row_id: messageRowId, recipient: recipientOf(data), body, at };
}

/** Like `emitEvent`, for an encoded body, which can be as long as a message. */
export async function emitBody(tx: Tx, subject: EventSubject, body: Uint8Array): Promise<void> {
  const id = uuidv7();
  const isInline = body.byteLength <= MAX_INLINE_BYTES;
  const { type, messageRowId, domainId, recipient, at } = subject;
  const event = { id, type, domain_id: domainId, message_row_id: messageRowId, recipient, at };
  const text = isInline ? new TextDecoder().decode(body) : null;
  await storeEvents(tx, [{ ...event, body: text, body_bytes: body.byteLength }]);
  for (let position = 0; !isInline && position * PART_BYTES < body.byteLength; position++) {
    const bytes = new Uint8Array(body.subarray(position * PART_BYTES, (position + 1) * PART_BYTES));
    await tx.eventPart.create({ data: { eventId: id, position, bytes }, select: { position: true } });
  }
}

/** Returns the domains for which an active webhook is subscribed to the event type; for events that are costly to build. */
export async function findSubscribed(tx: Tx, type: EventType, domainIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ id: string }[]>`/* prepared */
    SELECT given.id FROM unnest(${domainIds}::uuid[]) AS given(id)
     WHERE EXISTS (SELECT FROM webhook w WHERE w.active AND w.events && ARRAY[${type}::text, ${ALL_EVENTS}::text]
                                           AND (w.domain_id IS NULL OR w.domain_id = given.id))`;
  return new Set(rows.map(({ id }) => id));
}

/** Stores a sample event for testing one webhook; no other webhook receives it. @returns its id */
export async function insertTestEvent(
  tx: Tx,
  { type, domainId, at }: { type: EventType; domainId: string | null; at: Date },
): Promise<string> {
  const domain = domainId && (await tx.domain.findUnique({ where: { id: domainId }, select: { name: true } }));
  const newId = uuidv7();
  const { messageId, data: fields } = sampleData(type, domain ? domain.name : 'example.com');
  const body = eventBody({ type, id: messageId ?? newId, at, data: fields });
  const data = { id: newId, type, domainId, body, bodyBytes: Buffer.byteLength(body), isTest: true, createdAt: at };
  const { id } = await tx.event.create({ select: { id: true }, data });
  return id;
}

async function storeEvents(tx: Tx, encoded: object[]): Promise<void> {
  await tx.$executeRaw`/* prepared */ SELECT emit_events(${JSON.stringify(encoded)}::jsonb)`;
}

function recipientOf(data: object): string {
  const { recipient, to } = data as { recipient?: unknown; to?: unknown };
  const first = recipient ?? (Array.isArray(to) ? to[0] : to);
  return typeof first === 'string' ? first : '';
}
