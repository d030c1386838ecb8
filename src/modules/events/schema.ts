import { z } from 'zod';
import { EVENT_TYPES, type EventType } from '@/lib/event-types';
import { EnteredTimestamp, Id, page, Timestamp } from '@/lib/wire';

export const EventTypeName = z.enum(EVENT_TYPES);

export const FeedEvent = z
  .object({
    sequence: z
      .number()
      .int()
      .meta({ description: 'Position in the feed; pass the last one you have read as `after`' }),
    id: Id.meta({ description: 'The event_id of its webhook deliveries' }),
    domain_id: Id.nullable(),
    stored_message_id: Id.nullable().meta({ description: 'The ID of the message in GET /messages/{id}' }),
    body: z
      .object({ id: z.string(), event: z.string(), timestamp: Timestamp, data: z.record(z.string(), z.unknown()) })
      .nullable()
      .meta({ description: 'The body as sent to webhooks; null if it exceeds 64 KB' }),
  })
  .meta({ id: 'FeedEvent' });
export type FeedEvent = z.infer<typeof FeedEvent>;

export const FeedPage = page(FeedEvent);

export const ReadFeed = z.strictObject({
  after: z
    .string()
    .superRefine((text, ctx) => {
      if (/^\d{1,15}$/.test(text)) return;
      const params = { apiCode: 'INVALID_PAGINATION' };
      ctx.addIssue({ code: 'custom', params, message: 'Enter a next_cursor or an event’s sequence number.' });
    })
    .default('0')
    .meta({ description: 'next_cursor of the previous page, or the sequence of the last event you have read' }),
  limit: z.number().int().min(1).max(200).default(50).meta({ description: 'Events per page, 1 to 200' }),
  event: EventTypeName.exclude(['mail.received.full']).optional(),
  domain_id: Id.optional(),
  since: EnteredTimestamp.optional().meta({ description: 'Only events at or after this time' }),
});
export type ReadFeed = z.infer<typeof ReadFeed>;

export type EventContent = { type: EventType; id: string; at: Date; data: object };

/**
 * The body of a webhook delivery (docs/webhooks.md), which is stored, signed and sent byte for byte. Its id is the
 * message's Message-ID, or the event's own id if there is no message.
 */
export function eventBody({ type, id, at, data }: EventContent): string {
  return JSON.stringify({ id, event: type, timestamp: at.toISOString(), data });
}
