import { z } from 'zod';
import type { LoggedMail } from './logged-mail';

// Postgres stores neither NUL nor lone surrogates.
const Text = z.string().transform((text) => text.replaceAll('\0', '').toWellFormed());

/** Adds the quotes that some local parts need: Postfix logs them, but the filter omits them. */
const Address = Text.transform((text) => {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  if (at < 1 || NEEDS_NO_QUOTES.test(local) || IS_QUOTED.test(local)) return text;
  return `"${local.replaceAll(/["\\]/g, '\\$&')}"${text.slice(at)}`;
});

const NEEDS_NO_QUOTES = /^[^\s\p{Cc}()<>@,;:\\".[\]]+(?:\.[^\s\p{Cc}()<>@,;:\\".[\]]+)*$/u;
const IS_QUOTED = /^"(?:\\.|[^"\\])*"$/;

/** The spam filter's report about a message, as written by rspamd.local.lua. */
export const FilterMeta = z.object({
  queue_id: z.string().min(1),
  message_id: Text,
  /** User name of an authenticated submission; absent for mail from outside. */
  user: z.string().optional(),
  ip: z.string(),
  from: Address,
  recipients: z.array(Address),
  action: z.string(),
  score: z.number(),
  subject: Text,
  size: z.number().int(),
  /** Whether the stored bytes are the whole message rather than only its header. */
  is_whole: z.boolean().optional(),
  /** The sender's domain, if DMARC, DKIM or SPF confirm one. */
  authenticated_domain: Text.optional(),
  /** The fields of a submission with its tags and metadata. */
  tags: z.array(Text).optional(),
  metadata: z.array(Text).optional(),
});
export type FilterMeta = z.infer<typeof FilterMeta>;

/** The stored report of the filter, if it is complete. */
export function metaOf({ verdict }: Pick<LoggedMail, 'verdict'>): FilterMeta | undefined {
  return FilterMeta.safeParse(verdict).data;
}
