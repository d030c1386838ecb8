import { z } from 'zod';
import { Id, page, pageQuery, plainText, Timestamp } from '@/lib/wire';

const MAX_SCOPED_DOMAINS = 200;

export const ApiKey = z
  .object({
    id: Id,
    admin_id: Id,
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

export const ListApiKeys = z.strictObject(pageQuery(['created_at', 'name']));
export type ListApiKeys = z.infer<typeof ListApiKeys>;

export const CreateApiKey = z.strictObject({
  name: plainText(100).min(1),
  scoped_domain_ids: z.array(Id).max(MAX_SCOPED_DOMAINS).default([]),
  rate_limit: z.number().int().min(0).max(1_000_000).default(60),
  expires_in_days: z.number().int().min(0).max(3650).default(0).meta({ description: '0 for no expiry' }),
});
export type CreateApiKey = z.infer<typeof CreateApiKey>;

export const CreatedApiKey = z.object({
  key: z.string().meta({ description: 'The full key. Returned only in this response' }),
  api_key: ApiKey.omit({ last_used_at: true }),
});
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;
