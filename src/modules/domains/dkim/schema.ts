import { z } from 'zod';
import { Id, page, pageQuery, plainText, Timestamp } from '@/lib/wire';

const MAX_LABEL_LENGTH = 63;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const DkimAlgorithm = z.enum(['rsa-2048', 'ed25519']);
export type DkimAlgorithm = z.infer<typeof DkimAlgorithm>;

const DkimStatus = z.enum(['pending', 'active', 'retired']);
export type DkimStatus = z.infer<typeof DkimStatus>;

export const DkimKey = z
  .object({
    selector: z.string(),
    algorithm: DkimAlgorithm,
    status: DkimStatus.meta({
      description: 'pending: made, and not used before it is activated; active: it signs; retired: it did',
    }),
    dns_record: z
      .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
      .meta({ description: 'What receivers check the signatures against' }),
    published_at: Timestamp.nullable().meta({ description: 'Since when the mail server has it; null: it has it not' }),
    created_at: Timestamp,
    activated_at: Timestamp.nullable(),
    retired_at: Timestamp.nullable(),
  })
  .meta({ id: 'DkimKey' });
export type DkimKey = z.infer<typeof DkimKey>;

export const DkimKeyPage = page(DkimKey);

export const ListDkimKeys = z.strictObject({
  id: Id,
  ...pageQuery(['created_at']),
  status: DkimStatus.optional(),
});
export type ListDkimKeys = z.infer<typeof ListDkimKeys>;

export const RotateDkim = z.strictObject({
  id: Id,
  selector: plainText(MAX_LABEL_LENGTH)
    .toLowerCase()
    .regex(LABEL, 'Letters, digits and hyphens, such as s2026a.')
    .optional()
    .meta({ description: 'What stands before ._domainkey; without it, one that was never used', examples: ['s2026a'] }),
  algorithm: DkimAlgorithm.default('rsa-2048').meta({
    description: 'Not every receiver knows ed25519 yet; they all know rsa-2048',
  }),
});
export type RotateDkim = z.infer<typeof RotateDkim>;

export const ActivateDkim = z.strictObject({ id: Id, selector: plainText(MAX_LABEL_LENGTH).min(1).toLowerCase() });
export type ActivateDkim = z.infer<typeof ActivateDkim>;
