import { z } from 'zod';
import { isLocalPart, localPartError, withoutSpaces } from '@/lib/mail/address';
import { chosenId, Id, NewPassword, plainText, QuotaBytes, Timestamp, wholeNumber } from '@/lib/wire';

const LocalPart = z
  .string()
  .overwrite(withoutSpaces)
  .min(1, 'Enter the part before the @.')
  .max(64)
  .refine((text) => isLocalPart(text), {
    error: ({ input }) => localPartError(input, 'Enter only the part before the @, without spaces or quotes.'),
  })
  // The local part names a mail folder, and Dovecot rejects logins with other characters (auth_username_chars).
  .refine((text) => /^[\w.+'&=~-]*$/.test(text), "Use only letters, digits and . _ - + ' & = ~ before the @.")
  .transform((text) => text.toLowerCase())
  .meta({ description: 'Case-insensitive' });

const settings = {
  display_name: plainText(256),
  quota_bytes: QuotaBytes.nullable().meta({ description: 'null: no storage limit' }),
  active: z.boolean().meta({ description: 'An inactive mailbox receives no mail, and nobody can sign in to it' }),
};

export const Mailbox = z
  .object({
    id: Id,
    domain_id: Id,
    email: z.string(),
    local_part: z.string(),
    ...settings,
    display_name: z.string(),
    suspended: z.boolean().meta({ description: 'A suspended mailbox can’t send but still receives mail' }),
    suspended_at: Timestamp.nullable(),
    suspension_reason: z.enum(['rate_limit', 'manual']).nullable(),
    suspension_note: z
      .string()
      .meta({ description: 'The reason an admin gave, or the count, time window and limit that were exceeded' }),
    used_bytes: z.number().int(),
    percent_full: z.number().int().nullable().meta({ description: 'Of the quota, 1000 at most. null: no quota' }),
    password_changed_at: Timestamp.nullable().meta({ description: 'null: not since the mailbox was created' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Mailbox' });
export type Mailbox = z.infer<typeof Mailbox>;

export const ClientSettings = z
  .object({
    user_name: z.string(),
    host: z.string().meta({ description: 'Of all services' }),
    services: z
      .array(
        z.object({
          protocol: z.enum(['imap', 'smtp']),
          port: z.number().int(),
          security: z.enum(['tls', 'starttls']).meta({ description: 'tls: from the start of the connection' }),
        }),
      )
      .meta({ description: 'The preferred ones first' }),
  })
  .meta({ id: 'ClientSettings' });
export type ClientSettings = z.infer<typeof ClientSettings>;

export const MailboxFilters = z.strictObject({
  domain_id: Id.optional(),
  active: z.boolean().optional(),
  suspended: z.boolean().optional(),
  min_percent_full: wholeNumber(1, 100, 'percent').optional().meta({
    description: 'Only mailboxes that have used at least this much of their quota',
  }),
  email: plainText(254).optional().meta({ description: 'The whole address' }),
  q: plainText(254)
    .optional()
    .meta({ description: 'Part of the address or the display name. One or two characters match the start of a word' }),
});

/** The mail server compares what a mail program sends, byte by byte, and stored passwords have ordinary spaces only. */
const MailboxPassword = NewPassword.refine(
  (text) => !/[^\P{Zs} ]/u.test(text),
  'The password has a special space, with which mail programs can’t sign in. Type an ordinary one.',
);

export const CreateMailbox = z.strictObject({
  domain_id: chosenId('Choose a domain.'),
  local_part: LocalPart,
  password: MailboxPassword,
  ...z.object(settings).partial().shape,
});
export type CreateMailbox = z.infer<typeof CreateMailbox>;

export const UpdateMailbox = z.strictObject({
  id: Id,
  password: MailboxPassword.optional(),
  ...z.object(settings).partial().shape,
});
export type UpdateMailbox = z.infer<typeof UpdateMailbox>;

export const SuspendMailbox = z.strictObject({
  id: Id,
  reason: plainText(500).min(1, 'Enter a reason, so that other admins know why.'),
});
export type SuspendMailbox = z.infer<typeof SuspendMailbox>;

export const UnsuspendMailbox = z.strictObject({ id: Id, note: plainText(500).optional() });
export type UnsuspendMailbox = z.infer<typeof UnsuspendMailbox>;

export const GetSentLately = z.strictObject({
  id: Id,
  hours: wholeNumber(1, 168, 'hours').default(24).meta({ description: 'How far back, up to a week' }),
});
export type GetSentLately = z.infer<typeof GetSentLately>;

const count = z.number().int();

export const SentLately = z
  .object({
    since: Timestamp,
    messages: count.meta({ description: 'Sent or submitted. The newest 10,000 are looked at' }),
    recipients: count,
    undelivered: count.meta({ description: 'Recipients that bounced or failed' }),
    is_complete: z.boolean().meta({ description: 'False if there were 10,000 messages or more' }),
    recipient_domains: z
      .array(z.object({ domain: z.string(), recipients: count, undelivered: count }))
      .meta({ description: 'The ten with the most recipients' }),
    sources: z
      .array(
        z.object({
          source: z.enum(['api_key', 'console', 'smtp']),
          by: z.string().meta({ description: 'Email of the admin, or address of the mailbox that signed in' }),
          client_address: z
            .string()
            .nullable()
            .meta({ description: 'IP address of the mail program. Null except for smtp' }),
          api_key_id: Id.nullable(),
          messages: count,
          first_at: Timestamp,
          last_at: Timestamp,
        }),
      )
      .meta({ description: 'Who sent, and from where: the twenty with the most messages' }),
    usual_per_day: z.number().meta({ description: 'Messages per day before that time, as far back as eight days ago' }),
    usual_recipients_per_day: z.number().meta({ description: 'Their recipients per day' }),
    new_client_addresses: z.array(z.string()).meta({
      description: 'Of `sources`, those the mailbox did not send from in these days. Empty if it sent nothing then',
    }),
    sign_ins_blocked_at: Timestamp.nullable().meta({
      description: 'When sign-ins were last blocked after too many different wrong passwords; null if they were not',
    }),
  })
  .meta({ id: 'SentLately' });
export type SentLately = z.infer<typeof SentLately>;

export const MailboxSignIns = z
  .object({
    sign_ins: z
      .array(
        z.object({
          client_address: z
            .string()
            .nullable()
            .meta({ description: 'IP address of the mail program; null if Dovecot does not know it' }),
          protocol: z.string().meta({ description: 'imap, smtp or sieve' }),
          first_at: Timestamp,
          last_at: Timestamp.meta({ description: 'Up to ten minutes earlier than the last sign-in' }),
        }),
      )
      .meta({ description: 'Each address and protocol of the last 30 days, the latest first: at most 50' }),
  })
  .meta({ id: 'MailboxSignIns' });
export type MailboxSignIns = z.infer<typeof MailboxSignIns>;
