import { z } from 'zod';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, PASSWORD_RULE } from './access/password';
import { formatCount } from './format';
import { MAX_TOTAL } from './lists';
import { fieldMessage, ifOtherType, isBlank, REQUIRED } from './texts/field-messages';
import { utcTimestamp } from './time/entered-timestamp';

export const TIME_ERROR = 'Enter a time such as 2026-11-21T09:41:07Z or 2026-11-21T11:41:07+02:00.';

z.config({ customError: fieldMessage });

export const Id = chosenId(REQUIRED);

export const Timestamp = z.iso.datetime().meta({ description: 'ISO 8601 UTC' });

/** A time in a request. The value is in UTC. */
export const EnteredTimestamp = z
  .string({ error: ifOtherType(TIME_ERROR) })
  .transform((text, ctx) => {
    const utc = utcTimestamp(text);
    if (utc === null) ctx.addIssue({ code: 'custom', message: TIME_ERROR });
    return utc ?? z.NEVER;
  })
  .meta({ format: 'date-time', description: 'ISO 8601 with any offset from UTC' });

/** The filters of a list by time. */
export const RANGE_FILTERS = {
  since: EnteredTimestamp.optional().meta({ description: 'ISO 8601, inclusive' }),
  until: EnteredTimestamp.optional().meta({ description: 'ISO 8601, exclusive' }),
};

export const Empty = z.strictObject({});

export const ById = z.strictObject({ id: Id });

export const Confirmation = z.object({ message: z.string() });

/** The query parameters of an export. */
export const EXPORT_PARAMETERS = { format: z.enum(['csv']).default('csv') };

/** In the pagination of a list. */
export const Total = z
  .number()
  .int()
  .nullable()
  .optional()
  .meta({
    description: `Rows on all pages, with \`total=true\`. ${formatCount(MAX_TOTAL)} stands for that many or more; null if counting them takes too long`,
  });

export function page<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    pagination: z.object({
      next_cursor: z.string().meta({ description: 'Empty on the last page' }),
      has_more: z.boolean(),
      total: Total,
    }),
  });
}

const TOO_SHORT = `Enter a password of at least ${MIN_PASSWORD_LENGTH} characters.`;

export const NewPassword = z
  .string()
  .min(MIN_PASSWORD_LENGTH, TOO_SHORT)
  // A letter and its accent can be two characters, and are stored as one.
  .refine((text) => text.normalize('NFC').length >= MIN_PASSWORD_LENGTH, TOO_SHORT)
  .max(MAX_PASSWORD_LENGTH, `Enter a password of at most ${MAX_PASSWORD_LENGTH} characters.`)
  .meta({ description: PASSWORD_RULE });

/** An ID in lower case, as the database returns it, so that a row has one spelling. @param missing the message for none */
export function chosenId(missing: string) {
  return z
    .uuid({ error: ({ input }) => (isBlank(input) ? missing : 'Enter a valid UUID.') })
    .toLowerCase()
    .meta({ description: 'UUID' });
}

/** A whole number whose message names both limits. @param what for example `messages per hour` */
export function wholeNumber(min: number, max: number, what?: string) {
  const unit = what ? ` of ${what}` : '';
  const error = `Enter a whole number${unit} from ${formatCount(min)} to ${formatCount(max)}.`;
  return z.number({ error }).int(error).min(min, error).max(max, error);
}

export const MAX_QUOTA_MB = Math.floor(Number.MAX_SAFE_INTEGER / 1024 ** 2);
const QUOTA_ERROR = `Enter a quota from 0 to ${formatCount(MAX_QUOTA_MB)} MB, as a whole number of bytes.`;

export const QuotaBytes = z
  .number({ error: QUOTA_ERROR })
  .int(QUOTA_ERROR)
  .min(0, QUOTA_ERROR)
  .max(Number.MAX_SAFE_INTEGER, QUOTA_ERROR);

/** Text without control characters and lone surrogates. */
export function plainText(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((text) => text.isWellFormed() && !CONTROL.test(text), 'Control characters aren’t allowed.');
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
