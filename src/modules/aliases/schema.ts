import { z } from 'zod';
import { csvText } from '@/lib/csv/csv-text';
import {
  DryRun,
  IMPORT_DOMAIN,
  ImportedDomain,
  ImportedLineNumber,
  importOutcome,
  importReport,
} from '@/lib/csv/import-report';
import {
  ADDRESS_ERROR,
  addressError,
  isLocalPart,
  localPartError,
  MAX_ADDRESS_LENGTH,
  parseAddress,
  withoutSpaces,
  withPlusSigns,
} from '@/lib/mail/address';
import { splitDestinations } from '@/lib/mail/destinations';
import { chosenId, EXPORT_PARAMETERS, Id, plainText, Timestamp } from '@/lib/wire';

export const MAX_DESTINATIONS = 10;
const MAX_CSV_LENGTH = 1_000_000;

const ChosenDomain = chosenId('Choose a domain.');

const SourceLocalPart = z
  .string()
  .overwrite(withoutSpaces)
  .max(64)
  .refine(
    (text) => !text.includes('*'),
    'Wildcards aren’t supported. For every other address of the domain, create its catch-all: leave this empty or select Catch-all.',
  )
  .refine((text) => text === '' || text.includes('*') || isLocalPart(text), {
    error: ({ input }) => localPartError(input, 'Enter only the part before the @, without spaces or quotes.'),
  })
  .transform((text) => text.toLowerCase())
  .meta({ description: 'Case-insensitive. Empty for the domain’s catch-all' });

const Destination = z
  .string()
  .min(1, 'Enter at least one destination.')
  .max((MAX_ADDRESS_LENGTH + 2) * 100)
  .superRefine((text, ctx) => {
    const addresses = splitDestinations(text);
    if (addresses.length > MAX_DESTINATIONS) {
      const params = { apiCode: 'TOO_MANY_DESTINATIONS' };
      const message = `Enter at most ${MAX_DESTINATIONS} destinations. You entered ${addresses.length}.`;
      ctx.addIssue({ code: 'custom', params, message });
      return;
    }
    for (const address of addresses) {
      if (parseAddress(address)) continue;
      const shown = address.trim() === '' ? 'An empty entry' : address.trim().slice(0, MAX_ADDRESS_LENGTH);
      const message = `${shown} is not a valid email address. ${addressError(address, 'Use the form ann@example.com.')}`;
      ctx.addIssue({ code: 'custom', message });
    }
  })
  .transform(normalizeDestinations)
  .meta({ description: `1 to ${MAX_DESTINATIONS} addresses, separated by commas`, examples: ['ann@example.com'] });

export const AliasWarning = z
  .object({
    code: z
      .enum(['shadowed_by_mailbox', 'destination_not_found', 'destination_inactive', 'destination_domain_inactive'])
      .meta({
        description:
          'shadowed_by_mailbox: an active mailbox has the alias’s address and gets its mail; destination_not_found: no mailbox has the destination’s address; destination_inactive: its mailbox is inactive; destination_domain_inactive: its domain is inactive',
      }),
    message: z.string(),
    destination: z.string().nullable().meta({
      description:
        'The destination that receives nothing, in lower case. Null if the warning is about the alias itself',
    }),
  })
  .meta({ id: 'AliasWarning' });
export type AliasWarning = z.infer<typeof AliasWarning>;

export const Alias = z
  .object({
    id: Id,
    domain_id: Id,
    address: z.string().meta({ description: 'The source with its domain. A catch-all starts with @' }),
    source_local_part: z.string().meta({ description: 'Empty for the domain’s catch-all' }),
    destination: z.string(),
    active: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
    warnings: z
      .array(AliasWarning)
      .meta({ description: 'Conditions that keep mail from being delivered as configured' }),
  })
  .meta({ id: 'Alias' });
export type Alias = z.infer<typeof Alias>;

export const AliasFilters = z.strictObject({
  domain_id: Id.optional().meta({ description: 'Required for the role domain_admin' }),
  active: z.boolean().optional(),
  address: plainText(254)
    .optional()
    .meta({ description: 'The whole source address. A catch-all’s is @ and its domain' }),
  q: plainText(254).optional().meta({
    description: 'Part of the source address or of a destination. One or two characters match the start of a word',
  }),
});

export const CreateAlias = z.strictObject({
  domain_id: ChosenDomain,
  source_local_part: SourceLocalPart,
  destination: Destination,
  active: z.boolean().default(true),
});
export type CreateAlias = z.infer<typeof CreateAlias>;

/** In the console an empty local part is a catch-all only if that is chosen. */
export const NewAliasForm = CreateAlias.extend({ is_catch_all: z.boolean() }).refine(
  (alias) => alias.is_catch_all || alias.source_local_part !== '',
  { path: ['source_local_part'], when: () => true, error: 'Enter the part before the @, or select Catch-all.' },
);

export const UpdateAlias = z.strictObject({
  id: Id,
  destination: Destination.optional(),
  active: z.boolean().optional(),
});
export type UpdateAlias = z.infer<typeof UpdateAlias>;

export const ResolveAddress = z.strictObject({
  address: z
    .string()
    .min(1, ADDRESS_ERROR)
    .overwrite(withPlusSigns)
    .refine((text) => parseAddress(text) !== null, { error: ({ input }) => addressError(input) }),
});
export type ResolveAddress = z.infer<typeof ResolveAddress>;

export const Resolution = z
  .object({
    address: z.string(),
    domain_id: Id,
    outcome: z.enum(['mailbox', 'alias', 'reports', 'catch_all', 'rejected']).meta({
      description: 'reports: the mail is read as DMARC and TLS reports',
    }),
    explanation: z.string(),
    alias_id: Id.nullable(),
    mailbox_id: Id.nullable(),
    destinations: z.array(z.string()).meta({ description: 'Addresses that receive the mail' }),
    dropped: z
      .array(z.string())
      .meta({ description: 'Destinations on managed domains that have no active mailbox and receive nothing' }),
  })
  .meta({ id: 'AddressResolution' });
export type Resolution = z.infer<typeof Resolution>;

export const ImportAliases = z.strictObject({
  domain_id: ChosenDomain.nullable().meta({ description: IMPORT_DOMAIN }),
  csv: csvText(MAX_CSV_LENGTH).meta({
    description:
      'A header row with source_local_part or address, destination and optionally active, then one alias per line. A catch-all has an ' +
      'empty source_local_part, or @ and its domain. ' +
      'A column error is ignored',
    examples: ['source_local_part,destination\nsupport,ann@example.com\n'],
  }),
  dry_run: DryRun,
});
export type ImportAliases = z.infer<typeof ImportAliases>;

export const ImportLine = z.object({
  line: ImportedLineNumber,
  domain: ImportedDomain,
  source_local_part: z.string(),
  destination: z.string(),
  ...importOutcome,
});
export type ImportLine = z.infer<typeof ImportLine>;

export const ImportReport = importReport(ImportLine);
export type ImportReport = z.infer<typeof ImportReport>;

export const ExportAliases = z.strictObject({
  ...AliasFilters.shape,
  sort: z
    .enum(['source_local_part', 'created_at'])
    .default('source_local_part')
    .meta({ description: 'Field to sort by' }),
  order: z.enum(['asc', 'desc']).default('asc'),
  ...EXPORT_PARAMETERS,
});
export type ExportAliases = z.infer<typeof ExportAliases>;

/** Normalizes the list and drops duplicates, ignoring letter case. Keeps the order. */
function normalizeDestinations(text: string): string {
  const byKey = new Map<string, string>();
  for (const part of splitDestinations(text)) {
    const address = parseAddress(part)?.address ?? '';
    if (!byKey.has(address.toLowerCase())) byKey.set(address.toLowerCase(), address);
  }
  return [...byKey.values()].join(',');
}
