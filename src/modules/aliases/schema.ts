import { z } from 'zod';
import { parseAddress } from '@/lib/address';
import { Id, page, pageQuery, plainText, Timestamp } from '@/lib/wire';

/** Aliases rule 4. */
const MAX_DESTINATIONS = 10;
const MAX_ADDRESS_LENGTH = 254;

const SourceLocalPart = z
  .string()
  .max(64, 'At most 64 characters.')
  .refine((text) => text === '' || parseAddress(`${text}@a.example`) !== null, 'This is not a plain local part.')
  .transform((text) => text.toLowerCase())
  .meta({ description: 'Any letter case; empty: the domain’s catch-all' });

const Destination = z
  .string()
  .min(1)
  .max((MAX_ADDRESS_LENGTH + 2) * 100)
  .superRefine((text, ctx) => {
    const addresses = text.split(',');
    if (addresses.length > MAX_DESTINATIONS) {
      const params = { apiCode: 'TOO_MANY_DESTINATIONS' };
      ctx.addIssue({ code: 'custom', params, message: `At most ${MAX_DESTINATIONS} destinations.` });
      return;
    }
    for (const address of addresses) {
      if (parseAddress(address.trim())) continue;
      const shown = address.trim() === '' ? 'An empty entry' : address.trim().slice(0, MAX_ADDRESS_LENGTH);
      ctx.addIssue({ code: 'custom', message: `${shown} is not a plain address such as ann@example.com.` });
    }
  })
  .transform(plainAddresses)
  .meta({ description: `1 to ${MAX_DESTINATIONS} addresses, separated by commas`, examples: ['ann@example.com'] });

export const Alias = z
  .object({
    id: Id,
    domain_id: Id,
    address: z.string().meta({ description: 'The source with its domain; a catch-all begins with the @' }),
    source_local_part: z.string().meta({ description: 'Empty: the domain’s catch-all' }),
    destination: z.string(),
    active: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
    warnings: z
      .array(z.string())
      .meta({ description: 'What keeps mail from arriving, though nothing is wrong in form' }),
  })
  .meta({ id: 'Alias' });
export type Alias = z.infer<typeof Alias>;

export const AliasPage = page(Alias);

export const ListAliases = z.strictObject({
  ...pageQuery(['created_at', 'source_local_part']),
  domain_id: Id.optional().meta({ description: 'Required for a domain_admin' }),
  active: z.boolean().optional(),
  q: plainText(254).optional().meta({ description: 'Part of the source, of its address or of a destination' }),
});
export type ListAliases = z.infer<typeof ListAliases>;

export const CreateAlias = z.strictObject({
  domain_id: Id,
  source_local_part: SourceLocalPart,
  destination: Destination,
  active: z.boolean().default(true),
});
export type CreateAlias = z.infer<typeof CreateAlias>;

export const UpdateAlias = z.strictObject({
  id: Id,
  destination: Destination.optional(),
  active: z.boolean().optional(),
});
export type UpdateAlias = z.infer<typeof UpdateAlias>;

export const ResolveAddress = z.strictObject({
  address: z
    .string()
    .min(1)
    .refine((text) => parseAddress(text) !== null, 'This is not a plain address such as ann@example.com.'),
});
export type ResolveAddress = z.infer<typeof ResolveAddress>;

export const Resolution = z
  .object({
    address: z.string(),
    domain_id: Id,
    outcome: z.enum(['mailbox', 'alias', 'catch_all', 'rejected']),
    explanation: z.string(),
    alias_id: Id.nullable(),
    mailbox_id: Id.nullable(),
    destinations: z.array(z.string()).meta({ description: 'Where the mail goes' }),
    dropped: z.array(z.string()).meta({ description: 'Destinations that get nothing: local, and no active mailbox' }),
  })
  .meta({ id: 'AddressResolution' });
export type Resolution = z.infer<typeof Resolution>;

export const ImportAliases = z.strictObject({
  domain_id: Id,
  csv: z
    .string()
    .min(1)
    .max(1_000_000)
    .meta({ description: 'A header line, then source_local_part, destination and, where wanted, active' }),
  dry_run: z.boolean().default(false).meta({ description: 'Says what would happen, and changes nothing' }),
});
export type ImportAliases = z.infer<typeof ImportAliases>;

export const ImportLine = z.object({
  line: z.number().int().meta({ description: 'In the file, from 1; the header is a line too' }),
  source_local_part: z.string(),
  destination: z.string(),
  outcome: z.enum(['created', 'unchanged', 'failed']),
  code: z.string().nullable(),
  message: z.string().nullable(),
});
export type ImportLine = z.infer<typeof ImportLine>;

export const ImportReport = z.object({
  dry_run: z.boolean(),
  total: z.number().int(),
  created: z.number().int(),
  unchanged: z.number().int(),
  failed: z.number().int(),
  lines: z.array(ImportLine),
});
export type ImportReport = z.infer<typeof ImportReport>;

export const ExportAliases = z.strictObject({ domain_id: Id });
export type ExportAliases = z.infer<typeof ExportAliases>;

/** Each address once, whatever its letter case, in the order given. */
function plainAddresses(text: string): string {
  const byKey = new Map<string, string>();
  for (const part of text.split(',')) {
    const address = parseAddress(part.trim())?.address ?? '';
    if (!byKey.has(address.toLowerCase())) byKey.set(address.toLowerCase(), address);
  }
  return [...byKey.values()].join(',');
}
