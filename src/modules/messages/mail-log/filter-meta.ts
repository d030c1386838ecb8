import { z } from 'zod';
import type { LoggedMail } from './logged-mail';

// Postgres stores neither NUL nor lone surrogates.
const Text = z.string().transform((text) => text.replaceAll('\0', '').toWellFormed());

/** The filter leaves out the quotes that a local part may need, and that Postfix's log writes. */
const Address = Text.transform((text) => {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  if (at < 1 || NEEDS_NO_QUOTES.test(local) || IS_QUOTED.test(local)) return text;
  return `"${local.replaceAll(/["\\]/g, '\\$&')}"${text.slice(at)}`;
});

const NEEDS_NO_QUOTES = /^[^\s\p{Cc}()<>@,;:\\".[\]]+(?:\.[^\s\p{Cc}()<>@,;:\\".[\]]+)*$/u;
const IS_QUOTED = /^"(?:\\.|[^"\\])*"$/;

/** What the filter told of a message, as rspamd.local.lua writes it. */
export const FilterMeta = z.object({
  queue_id: z.string().min(1),
  message_id: Text,
  /** Who signed in to submit it; absent for mail from outside. */
  user: z.string().optional(),
  ip: z.string(),
  from: Address,
  recipients: z.array(Address),
  action: z.string(),
  score: z.number(),
  subject: Text,
  size: z.number().int(),
  /** Whether the bytes are the whole message, and not its header alone. */
  is_whole: z.boolean().optional(),
});
export type FilterMeta = z.infer<typeof FilterMeta>;

/** What a transit has of it. */
export function metaOf({ verdict }: Pick<LoggedMail, 'verdict'>): FilterMeta | undefined {
  return FilterMeta.safeParse(verdict).data;
}
