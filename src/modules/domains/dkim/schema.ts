import { z } from 'zod';
import { Id, plainText, Timestamp } from '@/lib/wire';
import { DnsRecord } from '../dns/schema';

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
      description: 'pending: not used yet; active: signs outgoing mail; retired: no longer signs',
    }),
    dns_record: z
      .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
      .meta({ description: 'The record that receiving servers verify signatures against' }),
    published_at: Timestamp.nullable().meta({
      description: 'When the mail server received the key. null: it does not have the key',
    }),
    created_at: Timestamp,
    activated_at: Timestamp.nullable(),
    retired_at: Timestamp.nullable(),
  })
  .meta({ id: 'DkimKey' });
export type DkimKey = z.infer<typeof DkimKey>;

export const DkimKeyFilters = z.strictObject({
  id: Id,
  status: DkimStatus.optional(),
});

export const RotateDkim = z.strictObject({
  id: Id,
  selector: plainText(MAX_LABEL_LENGTH)
    .toLowerCase()
    .regex(LABEL, 'Use letters, digits and hyphens, such as s2026a.')
    .optional()
    .meta({ description: 'The part before ._domainkey. Generated if omitted', examples: ['s2026a'] }),
  algorithm: DkimAlgorithm.default('rsa-2048').meta({
    description: 'All receiving servers support rsa-2048; some do not support ed25519',
  }),
});
export type RotateDkim = z.infer<typeof RotateDkim>;

/** Names a key. */
export const DkimKeyPath = z.strictObject({ id: Id, selector: plainText(MAX_LABEL_LENGTH).min(1).toLowerCase() });
export type DkimKeyPath = z.infer<typeof DkimKeyPath>;

/** The result of looking up a key's DNS record now. */
export const DkimLookup = DnsRecord.pick({
  name: true,
  status: true,
  message: true,
  fix: true,
  found: true,
  authoritative: true,
}).meta({ id: 'DkimLookup' });
export type DkimLookup = z.infer<typeof DkimLookup>;
