import { z } from 'zod';
import { OutgoingMessage } from './outgoing-message';

export const MAX_BATCH = 100;
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

export const Sent = z.object({ message_id: z.string().meta({ description: 'RFC 5322 Message-ID' }) });
export type Sent = z.infer<typeof Sent>;

/** As it is documented; what arrives is checked item by item, because a wrong item fails alone. */
export const Batch = z.strictObject({ messages: z.array(OutgoingMessage).min(1).max(MAX_BATCH) });

const SentItem = z.object({ index: z.number().int(), message_id: z.string() });

const FailedItem = z.object({ index: z.number().int(), error: z.string(), code: z.string() });

export const BatchItem = z.union([SentItem, FailedItem]);
export type BatchItem = z.infer<typeof BatchItem>;

export const BatchSent = z.object({
  total: z.number().int(),
  succeeded: z.number().int(),
  failed: z.number().int(),
  results: z.array(BatchItem).meta({ description: 'In the order of the request' }),
});
export type BatchSent = z.infer<typeof BatchSent>;

export const SendHeaders = z.object({
  'Idempotency-Key': z.string().max(MAX_IDEMPOTENCY_KEY_LENGTH).optional().meta({
    description: 'The same key and body within 24 hours sends nothing twice and gets the same answer',
  }),
});
