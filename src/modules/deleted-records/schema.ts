import { z } from 'zod';
import { Id, plainText, RANGE_FILTERS, Timestamp } from '@/lib/wire';

const Kind = z.enum(['alias', 'domain', 'mailbox', 'sieve_filter', 'suppression', 'template', 'webhook']);

export const DeletedRecord = z
  .object({
    id: Id.meta({ description: 'The ID of the record, which it has again once it is restored' }),
    kind: Kind,
    name: z.string().meta({ description: 'Its address or name when it was deleted' }),
    domain_id: Id.nullable(),
    deleted_at: Timestamp,
    deleted_by: z.object({ id: Id, email: z.string().meta({ description: 'The address at that time' }) }),
    restorable_until: Timestamp,
  })
  .meta({ id: 'DeletedRecord' });
export type DeletedRecord = z.infer<typeof DeletedRecord>;

export const DeletedRecordFilters = z.strictObject({
  kind: Kind.optional(),
  domain_id: Id.optional().meta({ description: 'The domain and what was in it, also if the domain is deleted' }),
  deleted_by: Id.optional().meta({ description: 'ID of the admin who deleted it' }),
  ...RANGE_FILTERS,
  q: plainText(254).optional().meta({ description: 'Part of the name' }),
});
