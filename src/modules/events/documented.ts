import { z } from 'zod';
import type { ZodOpenApiPathItemObject } from 'zod-openapi';
import { EVENT_DESCRIPTIONS, EVENT_TYPES, type EventType } from '@/lib/event-types';
import { Timestamp } from '@/lib/wire';
import { EVENT_DATA } from './payloads';
import { sampleData } from './sample-data';
import { eventBody } from './schema';

const EXAMPLE = {
  id: '019aa5c1-7f58-7cc3-a0b5-0c6f3f2b5d11',
  domain: 'shop.example',
  at: new Date('2026-11-21T09:41:07.212Z'),
};

/** The `webhooks` of the OpenAPI document: what a subscribed webhook is sent for each type of event. */
export function documentedEvents(): Record<EventType, ZodOpenApiPathItemObject> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, documented(type)])) as Record<
    EventType,
    ZodOpenApiPathItemObject
  >;
}

function documented(type: EventType): ZodOpenApiPathItemObject {
  const schema = z.strictObject({
    id: z.string().meta({ description: 'The Message-ID, or the event’s own ID if it isn’t about a message' }),
    event: z.literal(type),
    timestamp: Timestamp,
    data: EVENT_DATA[type],
  });
  return {
    post: {
      operationId: `event-${type.replaceAll('.', '-')}`,
      summary: EVENT_DESCRIPTIONS[type],
      tags: ['Events'],
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema, example: exampleOf(type) } } },
      responses: { '2XX': { description: 'Delivered. After any other response, the delivery is retried' } },
    },
  };
}

function exampleOf(type: EventType): object {
  const { messageId, data } = sampleData(type, EXAMPLE.domain, EXAMPLE.id);
  return JSON.parse(eventBody({ type, id: messageId ?? EXAMPLE.id, at: EXAMPLE.at, data }));
}
