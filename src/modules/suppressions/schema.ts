import { z } from 'zod';
import { csvText } from '@/lib/csv/csv-text';
import { DryRun, ImportedLineNumber, importOutcome, importReport } from '@/lib/csv/import-report';
import { formatCount } from '@/lib/format';
import { ADDRESS_ERROR, addressError, parseAddress, parseAddressOrDomain, withoutSpaces } from '@/lib/mail/address';
import { hasTag, LIST_NAME, LIST_NAME_ERROR, SUPPRESSION_REASONS, suppressionAddress } from '@/lib/mail/suppression';
import { EnteredTimestamp, Id, plainText, RANGE_FILTERS, Timestamp } from '@/lib/wire';

const MAX_CSV_LENGTH = 1_000_000;
export const MAX_DETAIL_LENGTH = 1000;

const SuppressionReason = z.enum(SUPPRESSION_REASONS);

export const Suppression = z
  .object({
    id: Id,
    email: z.string().meta({ description: 'Lower case, without a tag: ann+news@example.com is ann@example.com' }),
    domain_id: Id.nullable().meta({ description: 'The domain whose mail is suppressed. Null: all domains' }),
    domain: z.string().nullable().meta({ description: 'Name of the domain' }),
    reason: SuppressionReason,
    list: z.string().nullable().meta({ description: 'The mailing list whose mail is suppressed. Null: all mail' }),
    source_message_id: Id.nullable().meta({
      description: 'ID of the message that bounced, as in GET /messages/{id}. The message may have been deleted since',
    }),
    detail: z.string().meta({ description: 'The receiving server’s reply, or a note' }),
    created_by: Id.nullable().meta({ description: 'ID of the admin. Null if a bounce added it' }),
    created_at: Timestamp,
    expires_at: Timestamp.nullable().meta({ description: 'From then on it has no effect. Null: never' }),
  })
  .meta({ id: 'Suppression' });
export type Suppression = z.infer<typeof Suppression>;

const FILTERS = {
  domain_id: Id.optional().meta({ description: 'Only those of this domain, without those of all domains' }),
  reason: SuppressionReason.optional(),
  ...RANGE_FILTERS,
};

/** @param spaces how many spaces in an address can be plus signs: one in a query, where it may not have been encoded */
function searchedAddress(spaces: number) {
  const asStored = (text: string) => {
    const address = withoutSpaces(text).split(' ').length > spaces + 1 ? null : parseAddressOrDomain(text);
    return address === null ? text : suppressionAddress(address);
  };
  return plainText(254)
    .overwrite(asStored)
    .optional()
    .meta({
      description:
        'Part of the address. One or two characters match its start or the start of its domain. A whole address, or @ and a domain, is ' +
        'searched for as `email` has it',
    });
}

export const SuppressionFilters = z.strictObject({ ...FILTERS, q: searchedAddress(1) });
export type SuppressionFilters = z.infer<typeof SuppressionFilters>;

/** Each of them is copied, so that it can be restored. */
export const MAX_DELETED = 100_000;

export const DeleteSuppressions = z
  .strictObject({ ...FILTERS, q: searchedAddress(0), dry_run: DryRun })
  .refine(
    ({ dry_run: _, ...filters }) => Object.values(filters).some((filter) => filter !== undefined && filter !== ''),
    {
      error: 'Set at least one filter.',
      path: ['domain_id'],
    },
  );
export type DeleteSuppressions = z.infer<typeof DeleteSuppressions>;

export const DeletedSuppressions = z.object({
  dry_run: z.boolean(),
  total: z
    .number()
    .int()
    .meta({
      description: `How many were deleted, or would be: ${formatCount(MAX_DELETED)} at most`,
    }),
  is_complete: z.boolean().meta({ description: 'False if others may match: call it again' }),
  restorable: z
    .array(z.object({ id: Id, name: z.string(), domain_id: Id.nullable() }))
    .meta({ description: 'The deleted records by which they can be restored for 30 days, one per domain' }),
});
export type DeletedSuppressions = z.infer<typeof DeletedSuppressions>;

const Email = z
  .string()
  .min(1, ADDRESS_ERROR)
  .refine((text) => parseAddress(text) !== null, { error: ({ input }) => addressError(input) })
  .transform((text) => parseAddress(text)?.address ?? text)
  .meta({
    format: 'email',
    description: 'Letter case and a tag are left out. An address with a tag can’t have the reason bounce',
  });

const OwnerId = Id.nullable()
  .default(null)
  .meta({ description: 'The domain whose mail is suppressed. Null: all domains, for the roles admin and super_admin' });

const Detail = plainText(MAX_DETAIL_LENGTH).default('').meta({ description: 'A note' });

export const CreateSuppression = z
  .strictObject({
    email: Email,
    domain_id: OwnerId,
    reason: SuppressionReason.default('manual'),
    list: z
      .string()
      .regex(LIST_NAME, LIST_NAME_ERROR)
      .nullable()
      .default(null)
      .meta({
        description:
          'The mailing list whose mail is suppressed, as in `unsubscribe.list` of POST /send. Null: all mail. Without a domain, it is the ' +
          'lists of that name of all domains',
      }),
    detail: Detail,
    expires_at: EnteredTimestamp.nullable().default(null).meta({ description: 'Null: never' }),
  })
  .refine(({ email, reason }) => reason !== 'bounce' || !hasTag(email), {
    error:
      'A bounce of an address with a tag says nothing about the address without it. Choose another reason to suppress it.',
    path: ['email'],
  })
  .overwrite((input) => ({ ...input, email: suppressionAddress(input.email) }));
export type CreateSuppression = z.infer<typeof CreateSuppression>;

export const ImportSuppressions = z.strictObject({
  domain_id: OwnerId,
  csv: csvText(MAX_CSV_LENGTH).meta({
    description:
      'A header row with email and optionally reason, list, detail and expires_at, then one address per line. Other columns of the ' +
      'export, and a column error, are ignored. So are those of other services’ exports',
    examples: ['email,detail\nann@example.com,Asked to be removed\n'],
  }),
  reason: SuppressionReason.optional().meta({
    description:
      'The reason of lines without one, by default manual. Another text in the column reason, such as a server’s reply, is then a part ' +
      'of the detail',
  }),
  dry_run: DryRun,
});
export type ImportSuppressions = z.infer<typeof ImportSuppressions>;

export const SuppressionImportLine = z.object({
  line: ImportedLineNumber,
  email: z.string(),
  ...importOutcome,
});
export type SuppressionImportLine = z.infer<typeof SuppressionImportLine>;

export const SuppressionImportReport = importReport(SuppressionImportLine);
export type SuppressionImportReport = z.infer<typeof SuppressionImportReport>;
