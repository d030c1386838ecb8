import { z } from 'zod';
import { EXPORT_PARAMETERS, Id, PAGE_PARAMETERS, page, pageQuery, plainText, Timestamp, wholeNumber } from '@/lib/wire';

const MAX_SCOPED_DOMAINS = 200;

export const ApiKey = z
  .object({
    id: Id,
    admin_id: Id,
    admin_email: z.string(),
    name: z.string(),
    key_prefix: z.string().meta({ description: 'The first characters of the key' }),
    scoped_domain_ids: z.array(Id).meta({ description: 'Empty for all domains of its admin' }),
    rate_limit: z.number().int().meta({ description: 'Requests per minute; 0 is unlimited' }),
    last_used_at: Timestamp.nullable(),
    expires_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const ApiKeyPage = page(ApiKey);

export const ListApiKeys = z.strictObject({
  ...pageQuery(['created_at', 'name']),
  q: plainText(254)
    .optional()
    .meta({ description: 'Part of the name or of its admin’s email, or the beginning of `key_prefix`' }),
  expired: z.boolean().optional(),
});
export type ListApiKeys = z.infer<typeof ListApiKeys>;

export const ExportApiKeys = ListApiKeys.omit(PAGE_PARAMETERS).extend(EXPORT_PARAMETERS);
export type ExportApiKeys = z.infer<typeof ExportApiKeys>;

export const CreateApiKey = z.strictObject({
  name: plainText(100).min(1, 'Enter a name, such as the application that will use the key.'),
  scoped_domain_ids: z.array(Id).max(MAX_SCOPED_DOMAINS, `Select at most ${MAX_SCOPED_DOMAINS} domains.`).default([]),
  rate_limit: wholeNumber(0, 1_000_000, 'requests per minute').default(60),
  expires_in_days: wholeNumber(0, 3650, 'days').default(0).meta({ description: '0 for no expiry' }),
});
export type CreateApiKey = z.infer<typeof CreateApiKey>;

export const CreatedApiKey = z.object({
  key: z.string().meta({ description: 'The full key. Returned only in this response' }),
  api_key: ApiKey.omit({ last_used_at: true }),
});
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;
