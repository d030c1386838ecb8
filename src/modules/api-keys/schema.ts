import { z } from 'zod';
import { KEY_PERMISSIONS, type KeyPermission } from '@/lib/access/key-permissions';
import { MAX_ADDRESS_LENGTH, normalizeDomainName, parseAddress } from '@/lib/mail/address';
import { Id, plainText, Timestamp, wholeNumber } from '@/lib/wire';

const MAX_SCOPED_DOMAINS = 200;
const MAX_RESTRICTIONS = 50;
const ALL: KeyPermission[] = [...KEY_PERMISSIONS];

const AllowedIp = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
  error: 'Enter an address or a range, such as 203.0.113.7 or 2001:db8::/32.',
});

/** An address, or a domain such as @example.com for all of its addresses, in lower case. */
const KeySender = plainText(MAX_ADDRESS_LENGTH).transform((text, ctx) => {
  const domain = text.startsWith('@') ? normalizeDomainName(text.slice(1)) : null;
  const sender = domain ? `@${domain}` : parseAddress(text)?.address.toLowerCase();
  if (sender) return sender;
  ctx.addIssue('Enter an address such as shop@example.com, or @example.com for all of a domain.');
  return z.NEVER;
});

export const ApiKey = z
  .object({
    id: Id,
    admin_id: Id,
    admin_email: z.string(),
    name: z.string(),
    key_prefix: z.string().meta({ description: 'The first characters of the key' }),
    scoped_domain_ids: z.array(Id).meta({ description: 'Empty for all domains of its admin' }),
    rate_limit: z.number().int().meta({ description: 'Requests per minute; 0 is unlimited' }),
    permissions: z.array(z.enum(KEY_PERMISSIONS)),
    allowed_ips: z.array(z.string()).meta({ description: 'Empty for all' }),
    senders: z.array(z.string()).meta({ description: 'Empty for all' }),
    last_used_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const ApiKeyFilters = z.strictObject({
  q: plainText(254)
    .optional()
    .meta({ description: 'Part of the name or of its admin’s email, or the beginning of `key_prefix`' }),
  expired: z.boolean().optional(),
});

export const CreateApiKey = z.strictObject({
  name: plainText(100).min(1, 'Enter a name, such as the application that will use the key.'),
  scoped_domain_ids: z.array(Id).max(MAX_SCOPED_DOMAINS, `Select at most ${MAX_SCOPED_DOMAINS} domains.`).default([]),
  rate_limit: wholeNumber(0, 1_000_000, 'requests per minute').default(60),
  permissions: z
    .array(z.enum(KEY_PERMISSIONS))
    .min(1, 'Select what the key may do.')
    .default(ALL)
    .meta({ description: '`send` submits messages, `read` is every other GET, `manage` every other change' }),
  allowed_ips: z
    .array(AllowedIp)
    .max(MAX_RESTRICTIONS, `Enter at most ${MAX_RESTRICTIONS} addresses.`)
    .default([])
    .meta({ description: 'Addresses and ranges from which the key can be used, IPv4 and IPv6; empty for all' }),
  senders: z
    .array(KeySender)
    .max(MAX_RESTRICTIONS, `Enter at most ${MAX_RESTRICTIONS} addresses.`)
    .default([])
    .meta({ description: 'Sender addresses that the key can use, and domains such as `@example.com`; empty for all' }),
  expires_in_days: wholeNumber(0, 3650, 'days').default(0).meta({ description: '0 for no expiry' }),
});
export type CreateApiKey = z.infer<typeof CreateApiKey>;

export const CreatedApiKey = z.object({
  key: z.string().meta({ description: 'The full key. Returned only in this response' }),
  api_key: ApiKey.omit({ last_used_at: true }),
  smtp: z
    .object({
      host: z.string(),
      ports: z.object({ tls: z.number().int().nullable(), starttls: z.number().int() }).meta({
        description: 'With TLS from the start, which the sandbox lacks, and by STARTTLS',
      }),
      user_name: z.string(),
    })
    .nullable()
    .meta({
      description:
        'How the key sends by SMTP, with itself as the password. Null if it may not send, or no mail server is connected',
    }),
});
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;
