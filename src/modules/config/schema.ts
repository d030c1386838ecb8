import { z } from 'zod';
import { MAX_COUNTED_ROWS } from '@/lib/lists';
import { SETTING_GROUPS } from '@/lib/setting-groups';
import { EnteredTimestamp, Id, Timestamp } from '@/lib/wire';

const MAX_TEXT_LENGTH = 2048;
const MAX_LIST_LENGTH = 100;
/** More than there are settings. */
const MAX_KEYS = 200;

const Key = z.string().min(1).max(100).meta({ description: 'The name of the setting in the environment' });

const Value = z.union([
  z.number(),
  z.boolean(),
  z.string().max(MAX_TEXT_LENGTH),
  z.array(z.string().min(1).max(MAX_TEXT_LENGTH)).max(MAX_LIST_LENGTH),
]);

const Person = z.object({ id: Id, email: z.string() });

export const Setting = z
  .object({
    key: Key,
    group: z.enum(SETTING_GROUPS),
    value: Value.nullable().meta({
      description: 'The value in effect, null if there is none. A secret is returned without what is secret in it',
    }),
    type: z.enum(['integer', 'boolean', 'string', 'list']),
    unit: z.string().nullable(),
    minimum: z.number().nullable(),
    maximum: z.number().nullable(),
    options: z.array(z.string()).nullable().meta({ description: 'All values it can have; null if there are others' }),
    zero_text: z.string().nullable().meta({ description: 'What the value 0 means, where it isn’t a small amount' }),
    default: Value.nullable(),
    source: z.enum(['environment', 'database', 'default']).meta({ description: 'Where the value comes from' }),
    mutable: z.boolean().meta({ description: 'Whether PATCH /config changes it now' }),
    secret: z.boolean(),
    needs_restart: z.boolean().meta({ description: 'Changed in the environment, followed by a restart' }),
    label: z.string().meta({ description: 'What it is called, in few words' }),
    description: z.string(),
    if_unset: z.string().nullable().meta({ description: 'What applies without a value, where it isn’t a constant' }),
    problem: z.string().nullable().meta({
      description:
        'Why a saved value is not in effect, since this version does not accept it, or which of its domains are not managed',
    }),
    has_history: z.boolean().meta({ description: 'Whether it was ever changed here' }),
    updated_at: Timestamp.nullable(),
    updated_by: Person.nullable(),
  })
  .meta({ id: 'Setting' });
export type Setting = z.infer<typeof Setting>;

export const UpdateConfig = z
  .strictObject({
    values: byKey(Value.nullable())
      .refine((values) => Object.keys(values).length > 0, 'Enter at least one setting.')
      .meta({ description: 'Values by key; null removes the saved value, so that the default applies' }),
    expected: byKey(EnteredTimestamp.nullable()).optional().meta({
      description:
        'The updated_at of settings as you last read them. If one was changed since then, nothing is saved and the response is 412 with those settings in `details.current`. `If-Match` compares all settings',
    }),
    dry_run: z.boolean().default(false).meta({ description: 'Validates and returns the changes without saving them' }),
  })
  .meta({ examples: [{ values: { EVENT_RETENTION_DAYS: '365' }, dry_run: true }] });
export type UpdateConfig = z.infer<typeof UpdateConfig>;

/** Counts the keys before it checks any, which bounds the work and the number of issues. */
function byKey<Of extends z.ZodType>(value: Of) {
  return z.preprocess(
    (raw, ctx) => {
      if (typeof raw === 'object' && raw !== null && Object.keys(raw).length > MAX_KEYS)
        ctx.addIssue({ code: 'custom', message: `Enter at most ${MAX_KEYS} settings.` });
      return raw;
    },
    z.record(Key, value),
  );
}

const State = Setting.pick({ value: true, source: true });

const Deletion = z.object({
  what: z.enum(['messages', 'contents of messages', 'events', 'reports']),
  count: z
    .number()
    .int()
    .meta({ description: `${MAX_COUNTED_ROWS} for that many or more` }),
});
export type Deletion = z.infer<typeof Deletion>;

export const ConfigChanges = z.object({
  dry_run: z.boolean(),
  changes: z
    .array(
      z.object({
        key: Key,
        before: State,
        after: State,
        deletes: Deletion.nullable().meta({
          description: 'What is deleted soon after days are shortened, and can’t be restored',
        }),
      }),
    )
    .meta({ description: 'The settings whose value or source changes' }),
});
export type ConfigChanges = z.infer<typeof ConfigChanges>;

export const SettingChangeFilters = z.strictObject({ key: Key });

export const SettingChange = z
  .object({
    id: Id,
    key: Key,
    before: Value.nullable().meta({ description: 'The saved value; null: none' }),
    after: Value.nullable(),
    at: Timestamp,
    changed_by: Person,
    api_key_id: Id.nullable().meta({ description: 'The API key that the admin used' }),
    api_key_name: z
      .string()
      .nullable()
      .meta({ description: 'Its current name; null without a key, and once it is revoked' }),
  })
  .meta({ id: 'SettingChange' });
export type SettingChange = z.infer<typeof SettingChange>;
