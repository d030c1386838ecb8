import { z } from 'zod';
import { isObject, isStorable, jsonBytes } from '@/lib/json-values';
import { chosenId, Id, plainText, Timestamp, wholeNumber } from '@/lib/wire';

const MAX_HTML = 256 * 1024;
const MAX_TEXT = 64 * 1024;
const MAX_VARIABLES = 50;
const MAX_SUBJECT = 998;
const MAX_NAME_LENGTH = 100;
/** The most bytes of the values of a message, as JSON without spaces in UTF-8. */
const MAX_VALUES_BYTES = 256 * 1024;
/** The most bytes of the declared variables, nearly all of them in defaults. */
const MAX_VARIABLES_BYTES = 64 * 1024;
const MAX_VARIABLE_LENGTH = 64;
/** The error for a value that can't be stored. */
const NOT_STORABLE = 'NUL characters, lone surrogates and numbers beyond 1.8e308 aren’t allowed.';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text is an ID of a template, and not its name. */
export function isTemplateId(text: string): boolean {
  return UUID.test(text);
}

const Name = z
  .string()
  .min(1, 'Enter a name.')
  .max(MAX_NAME_LENGTH, `Enter at most ${MAX_NAME_LENGTH} characters.`)
  .regex(/^(?:[a-z0-9][a-z0-9._-]*)?$/, 'Use lower-case letters, digits, dots, hyphens and underscores.')
  .refine((name) => !isTemplateId(name), 'Choose a name that isn’t a UUID.')
  .meta({ description: 'Unique in its domain, such as order-confirmation. Requests can use it instead of the ID' });

const Subject = plainText(MAX_SUBJECT)
  .min(1, 'Enter a subject.')
  .meta({ description: 'Liquid. Values aren’t escaped, and must not bring line breaks' });

function source(max: number) {
  return z
    .string()
    .max(max, `Enter at most ${max / 1024} KB.`)
    .refine(
      (text) => text.isWellFormed() && !text.includes('\0'),
      'NUL characters and lone surrogates aren’t allowed.',
    );
}

const HtmlBody = source(MAX_HTML)
  .nullable()
  .meta({ description: 'Liquid, at most 256 KB. Values are escaped. Null: the message has text only' });
const TextBody = source(MAX_TEXT)
  .nullable()
  .meta({ description: 'Liquid, at most 64 KB. Values aren’t escaped. Null: made of the HTML for each message' });

export const VARIABLE_TYPES = ['string', 'number', 'boolean', 'date', 'list', 'object'] as const;

const VARIABLE_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
/** Words that have a meaning of their own in Liquid. */
const RESERVED = new Set('true false nil null empty blank and or not contains in forloop tablerowloop'.split(' '));

const VariableName = z
  .string()
  .min(1, 'Enter a name.')
  .max(MAX_VARIABLE_LENGTH, `Enter at most ${MAX_VARIABLE_LENGTH} characters.`)
  .refine(
    (name) => name === '' || VARIABLE_NAME.test(name),
    'Use letters, digits and underscores, with a letter at the start.',
  )
  .refine((name) => !RESERVED.has(name), 'This name has a meaning in Liquid. Choose another.');

export const TemplateVariable = z.strictObject({
  name: VariableName,
  type: z.enum(VARIABLE_TYPES),
  required: z.boolean().default(true).meta({
    description:
      'Whether each message must have a value. Without one, an optional variable has its default, or is empty',
  }),
  default: z
    .unknown()
    .optional()
    .meta({ description: 'The value of an optional variable that a message has none for' }),
  description: plainText(200).optional(),
});
export type TemplateVariable = z.infer<typeof TemplateVariable>;

const Variables = z
  .array(TemplateVariable)
  .max(MAX_VARIABLES, `Declare at most ${MAX_VARIABLES} variables.`)
  .superRefine((variables, ctx) => {
    const names = variables.map(({ name }) => name);
    for (const [index, variable] of variables.entries()) {
      const issue = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [index, path], message });
      if (names.indexOf(variable.name) !== index) issue('name', 'Another variable has this name.');
      const value = variable.default ?? null;
      if (value === null) continue;
      if (variable.required) issue('default', 'A required variable has no default. Set required to false.');
      const problem = valueProblem(variable, value) ?? (isStorable(value) ? null : NOT_STORABLE);
      if (problem) issue('default', problem);
    }
    const size = jsonBytes(variables);
    if (size <= MAX_VARIABLES_BYTES) return;
    const message = `Enter at most ${MAX_VARIABLES_BYTES / 1024} KB of JSON. This is ${size} bytes.`;
    ctx.addIssue({ code: 'custom', message });
  })
  .meta({ description: `At most ${MAX_VARIABLES}, and 64 KB of JSON. All that the template uses must be declared` });

/** Values by name. Checked before z.record, which silently drops an own `__proto__`. */
export const TemplateValues = z
  .preprocess(
    (raw, ctx) => {
      const problem = isObject(raw) ? valuesProblem(raw) : null;
      if (problem) ctx.addIssue({ code: 'custom', message: problem });
      return raw;
    },
    z.record(z.string(), z.unknown()),
  )
  .meta({
    description: 'Values by the name of the variable, at most 256 KB of JSON. Names that aren’t declared are ignored',
  });
export type TemplateValues = z.infer<typeof TemplateValues>;

function valuesProblem(values: Record<string, unknown>): string | null {
  if (Object.hasOwn(values, '__proto__')) return 'Choose another name than __proto__.';
  if (!isStorable(values)) return NOT_STORABLE;
  const size = jsonBytes(values);
  return size <= MAX_VALUES_BYTES
    ? null
    : `Enter at most ${MAX_VALUES_BYTES / 1024} KB of JSON. This is ${size} bytes.`;
}

const DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Returns the problem with the value of a variable, or null. */
export function valueProblem({ type }: Pick<TemplateVariable, 'type'>, value: unknown): string | null {
  if (type === 'list') return Array.isArray(value) ? null : 'Enter a list.';
  if (type === 'object') return isObject(value) ? null : 'Enter an object.';
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value) ? null : 'Enter a number.';
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'Enter true or false.';
  if (type === 'string') return typeof value === 'string' ? null : 'Enter a text.';
  return typeof value === 'string' && isDate(value)
    ? null
    : 'Enter a date such as 2026-12-02, or a time such as 2026-12-02T09:30:00+01:00.';
}

/** A date or a time, on a day that exists: JavaScript reads February 30 as March 2. */
function isDate(text: string): boolean {
  const [, day] = DATE.exec(text) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

export type TemplateParts = { subject: string; html_body: string | null; text_body: string | null };

const content = { subject: z.string(), html_body: z.string().nullable(), text_body: z.string().nullable() };

const summary = {
  id: Id,
  domain_id: Id,
  domain: z.string(),
  name: z.string(),
  subject: z.string().meta({ description: 'Of the draft' }),
  published_version: z
    .number()
    .int()
    .nullable()
    .meta({ description: 'The version that messages are sent with. Null until the first is published' }),
  published_at: Timestamp.nullable(),
  has_changes: z.boolean().meta({ description: 'Whether the draft differs from the published version' }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const TemplateSummary = z.object(summary).meta({ id: 'TemplateSummary' });
export type TemplateSummary = z.infer<typeof TemplateSummary>;

const ReadVariable = z.object({
  name: z.string(),
  type: z.enum(VARIABLE_TYPES),
  required: z.boolean(),
  default: z.unknown().optional(),
  description: z.string().optional(),
});

export const Template = z
  .object({
    ...summary,
    ...content,
    variables: z.array(ReadVariable),
    sample_data: z.record(z.string(), z.unknown()).meta({ description: 'What previews are rendered with' }),
  })
  .meta({ id: 'Template', description: 'The draft of a template, and which version of it is published' });
export type Template = z.infer<typeof Template>;

export const TemplateFilters = z.strictObject({
  domain_id: Id.optional(),
  published: z.boolean().optional().meta({ description: 'Whether messages can be sent with it' }),
  name: plainText(100).optional().meta({ description: 'The whole name. Templates of several domains can have it' }),
  q: plainText(100).optional().meta({ description: 'Part of the name' }),
});

/** A draft needs no text yet; publishing requires one. */
export const CreateTemplate = z.strictObject({
  domain_id: chosenId('Choose a domain.'),
  name: Name,
  subject: Subject,
  html_body: HtmlBody.default(null),
  text_body: TextBody.default(null),
  variables: Variables.default([]),
  sample_data: TemplateValues.default({}),
});
export type CreateTemplate = z.infer<typeof CreateTemplate>;

const draft = {
  subject: Subject.optional(),
  html_body: HtmlBody.optional(),
  text_body: TextBody.optional(),
  variables: Variables.optional(),
  sample_data: TemplateValues.optional(),
};

export const UpdateTemplate = z.strictObject({ id: Id, name: Name.optional(), ...draft });
export type UpdateTemplate = z.infer<typeof UpdateTemplate>;

const VersionNumber = wholeNumber(1, 1_000_000);

export const PublishTemplate = z.strictObject({
  id: Id,
  version: VersionNumber.optional().meta({
    description: 'An earlier version to go back to. Without it, the draft is published',
  }),
});
export type PublishTemplate = z.infer<typeof PublishTemplate>;

export const PreviewTemplate = z.strictObject({
  id: Id,
  version: VersionNumber.optional().meta({ description: 'By default, the draft' }),
  ...draft,
});
export type PreviewTemplate = z.infer<typeof PreviewTemplate>;

export const TemplatePreview = z
  .object({
    subject: z.string(),
    html_body: z.string().nullable().meta({ description: 'As it is sent: show it without scripts' }),
    text_body: z.string(),
  })
  .meta({ id: 'TemplatePreview' });
export type TemplatePreview = z.infer<typeof TemplatePreview>;

export const TemplateVersionSummary = z.object({
  number: z.number().int(),
  subject: z.string(),
  is_published: z.boolean(),
  created_at: Timestamp,
  published_by: z.string().meta({ description: 'The address of the admin at that time' }),
});
export type TemplateVersionSummary = z.infer<typeof TemplateVersionSummary>;

export const TemplateVersion = z
  .object({ ...TemplateVersionSummary.shape, ...content, variables: z.array(ReadVariable) })
  .meta({ id: 'TemplateVersion' });
export type TemplateVersion = z.infer<typeof TemplateVersion>;

export const GetTemplateVersion = z.strictObject({
  id: Id,
  number: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'Enter the number of a version.')
    .meta({ description: 'number of the version' }),
});
export type GetTemplateVersion = z.infer<typeof GetTemplateVersion>;

/** Which template a message was made from. */
export const UsedTemplate = z
  .object({
    id: Id,
    name: z.string().meta({ description: 'When it was sent' }),
    version: z.number().int(),
  })
  .meta({ id: 'UsedTemplate' });
export type UsedTemplate = z.infer<typeof UsedTemplate>;
