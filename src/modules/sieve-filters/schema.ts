import { z } from 'zod';
import { MAX_SCRIPT_BYTES, scriptBytes } from '@/lib/mail/sieve';
import { chosenId, Id, plainText, Timestamp, wholeNumber } from '@/lib/wire';

export const MAX_POSITION = 9_999;
const CHOOSE = { domain_id: 'Choose a domain.', mailbox_id: 'Choose a mailbox.' };

export const SieveScope = z.enum(['global', 'domain', 'mailbox']);
export type SieveScope = z.infer<typeof SieveScope>;

const Name = plainText(100).min(1, 'Enter a name.');

const Script = z
  .string()
  .min(1, 'Enter a script, or start with an example.')
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'NUL characters and lone surrogates aren’t allowed.')
  .refine((text) => scriptBytes(text) <= MAX_SCRIPT_BYTES, `Enter at most ${MAX_SCRIPT_BYTES / 1024} KB.`)
  .meta({ description: 'Sieve (RFC 5228), at most 64 KB', examples: ['require "fileinto";\nfileinto "Archive";\n'] });

const Position = wholeNumber(0, MAX_POSITION).meta({
  description: 'Filters of the same scope run in this order. With equal positions, the older one runs first',
});

export const SieveFilter = z
  .object({
    id: Id,
    scope: SieveScope,
    domain_id: Id.nullable().meta({ description: 'For scope domain' }),
    mailbox_id: Id.nullable().meta({ description: 'For scope mailbox' }),
    domain: z.string().nullable().meta({ description: 'Name of the domain, or of the mailbox’s domain' }),
    mailbox: z.string().nullable().meta({ description: 'Address of the mailbox' }),
    name: z.string(),
    script: z.string(),
    active: z.boolean(),
    position: z.number().int(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'SieveFilter' });
export type SieveFilter = z.infer<typeof SieveFilter>;

export const SieveFilterFilters = z.strictObject({
  scope: SieveScope.optional(),
  domain_id: Id.optional().meta({ description: 'Filters of this domain and its mailboxes' }),
  mailbox_id: Id.optional(),
  active: z.boolean().optional(),
  q: plainText(100).optional().meta({ description: 'Part of the name' }),
});

export const CreateSieveFilter = z
  .strictObject({
    scope: SieveScope,
    domain_id: chosenId(CHOOSE.domain_id).nullable().optional().meta({ description: 'Required for scope domain' }),
    mailbox_id: chosenId(CHOOSE.mailbox_id).nullable().optional().meta({ description: 'Required for scope mailbox' }),
    name: Name,
    script: Script,
    active: z.boolean().default(true),
    position: Position.optional().meta({ description: 'Defaults to the end of the scope' }),
  })
  .superRefine(
    ({ scope, ...named }, ctx) => {
      for (const field of ['domain_id', 'mailbox_id'] as const) {
        const isRequired = field === `${scope}_id`;
        if (isRequired === Boolean(named[field])) continue;
        const params = isRequired ? { apiCode: 'MISSING_FIELDS' } : {};
        const message = isRequired ? CHOOSE[field] : `Omit this field for scope ${scope}.`;
        ctx.addIssue({ code: 'custom', path: [field], params, message });
      }
    },
    // Also checked if other fields are invalid, so that a form shows all errors at once.
    { when: ({ value }) => SieveScope.safeParse((value as { scope?: unknown } | null)?.scope).success },
  );
export type CreateSieveFilter = z.infer<typeof CreateSieveFilter>;

export const UpdateSieveFilter = z.strictObject({
  id: Id,
  name: Name.optional(),
  script: Script.optional(),
  active: z.boolean().optional(),
  position: Position.optional(),
});
export type UpdateSieveFilter = z.infer<typeof UpdateSieveFilter>;

export const ValidateSieve = z.strictObject({ script: Script });
export type ValidateSieve = z.infer<typeof ValidateSieve>;

export const SieveVerdict = z.object({
  valid: z.boolean(),
  errors: z.array(
    z.object({
      line: z.number().int().nullable().meta({ description: 'Starts at 1. Null if the compiler reports no line' }),
      message: z.string(),
    }),
  ),
});
export type SieveVerdict = z.infer<typeof SieveVerdict>;
