import { z } from 'zod';

// Postgres stores neither NUL nor lone surrogates.
const Text = z.string().transform((text) => text.replaceAll('\0', '').toWellFormed());

/** What the filter told of a message, as rspamd.local.lua writes it. */
export const FilterMeta = z.object({
  queue_id: z.string().min(1),
  message_id: Text,
  /** Who signed in to submit it; absent for mail from outside. */
  user: z.string().optional(),
  ip: z.string(),
  from: Text,
  recipients: z.array(Text),
  action: z.string(),
  score: z.number(),
  subject: Text,
  size: z.number().int(),
  /** Whether the bytes are the whole message, and not its header alone. */
  is_whole: z.boolean().optional(),
});
export type FilterMeta = z.infer<typeof FilterMeta>;
