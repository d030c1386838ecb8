import { trpc } from '@/components/api/trpc';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { type Setting, UpdateConfig } from '@/modules/config/schema';
import { KIND_OPTIONS } from '../alert-values';

type Value = string | string[];

/** The severities of a channel, as a setting has them. */
export const FROM_SEVERITY = [
  { value: 'warning', label: 'Critical and warning' },
  { value: 'critical', label: 'Critical only' },
];

export function severityText(severity: Value): string {
  return FROM_SEVERITY.find(({ value }) => value === severity)?.label ?? String(severity);
}

export function kindsText(kinds: Value): string {
  if (kinds.length === 0) return 'All kinds';
  const isChosen = ({ value }: { value: string }) => kinds.includes(value);
  return KIND_OPTIONS.filter(isChosen)
    .map(({ label }) => label)
    .join(', ');
}

type Fields<Values> = { [Key in keyof Values]: { label: string; text?: (value: Value) => string } };
type Loaded<Values> = Values & {
  /** When each setting was last saved. */
  changedAt: Record<string, string | null>;
};

/**
 * A form for settings that System → Configuration has too.
 * @param defaults the values of settings that aren't set, which also tell the texts from the lists
 */
export function useAlertSettings<Values extends Record<string, Value>>(
  settings: Setting[],
  defaults: Values,
  fields: Fields<Values>,
) {
  const utils = trpc.useUtils();
  const update = trpc.config.update.useMutation();
  const valuesOf = (of: Setting[], rest?: Loaded<Values>): Loaded<Values> => {
    const saved = new Map(of.map((setting) => [setting.key, setting]));
    const values = Object.entries(defaults).map(([key, fallback]) => {
      const value = saved.has(key) ? saved.get(key)?.value : rest?.[key];
      return [key, value === null || value === undefined ? fallback : value];
    });
    const changedAt = { ...rest?.changedAt, ...Object.fromEntries(of.map(({ key, updated_at }) => [key, updated_at])) };
    return { ...Object.fromEntries(values), changedAt };
  };
  const saved = useSavedForm<Loaded<Values>, keyof Values & string, { values: Record<string, Value | null> }>({
    schema: UpdateConfig,
    saved: valuesOf(settings),
    fields: fields as never,
    // An empty text is no setting.
    toInput: (changes) => ({
      values: Object.fromEntries(
        Object.entries(changes as Record<string, Value>).map(([key, value]) => [key, value === '' ? null : value]),
      ),
    }),
    currentOf: (changed, loaded) => valuesOf(changed as Setting[], loaded),
    submit: async (input, { changedAt }) => {
      const expected = Object.fromEntries(Object.keys(input.values).map((key) => [key, changedAt[key] ?? null]));
      await update.mutateAsync({ ...input, expected });
      void utils.overview.attention.invalidate();
      return valuesOf(await utils.config.list.fetch({}, { staleTime: 0 }));
    },
  });
  const isFixed = (key: string) => settings.some((setting) => setting.key === key && !setting.mutable);
  /** Returns the props that the field of a setting has besides its label. */
  const fieldOf = (key: keyof Values & string, description: string) => ({
    description: isFixed(key) ? `${key} is set in the environment. Change it there.` : description,
    disabled: isFixed(key),
    ...saved.form.getInputProps(key),
  });
  return { ...saved, fieldOf };
}
