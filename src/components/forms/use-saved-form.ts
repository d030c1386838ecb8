'use client';

import { useState } from 'react';
import type { z } from 'zod';
import { type ApiForm, useApiForm } from './use-api-form';

type SavedForm<Values> = ApiForm<Values> & {
  isDirty: boolean;
  saveBar: { isDirty: boolean; isSaving: boolean; isSaved: boolean; onDiscard: () => void };
};

type Options<Saved extends object, Field extends keyof Saved, Input, Result> = {
  /** Validates the input of `submit`. */
  schema: z.ZodType;
  saved: Saved;
  fields: readonly Field[];
  /** The API call's input for the changed fields. */
  toInput: (changes: Partial<Pick<Saved, Field>>) => Input;
  submit: (input: Input) => Promise<Result>;
  onSaved?: (result: Result) => unknown;
};

/**
 * A form for settings that exist already. It sends only changed fields, so that it doesn't overwrite concurrent changes,
 * and then has the values that the server returned.
 */
export function useSavedForm<
  Saved extends object,
  Field extends keyof Saved,
  Input extends object,
  Result extends Pick<Saved, Field>,
>(options: Options<Saved, Field, Input, Result>): SavedForm<Pick<Saved, Field>> {
  const { schema, saved, fields, toInput, submit, onSaved } = options;
  const [isSaved, setIsSaved] = useState(false);
  const api: ApiForm<Pick<Saved, Field>> = useApiForm({
    schema,
    initialValues: pick(saved, fields),
    toInput: (values: Pick<Saved, Field>) => toInput(pick(values, fields.filter(isChanged))),
    submit,
    onSaved: async (result: Result) => {
      const values = pick<Pick<Saved, Field>, Field>(result, fields);
      api.form.setInitialValues(values);
      api.form.setValues(values);
      setIsSaved(true);
      await onSaved?.(result);
    },
  });
  const isDirty = api.form.isDirty();

  function isChanged(field: Field): boolean {
    return api.form.isDirty(field as string);
  }
  return {
    ...api,
    isDirty,
    saveBar: { isDirty, isSaving: api.isBusy, isSaved, onDiscard: api.reset },
  };
}

function pick<Values extends object, Field extends keyof Values>(
  values: Values,
  fields: readonly Field[],
): Pick<Values, Field> {
  return Object.fromEntries(fields.map((field) => [field, values[field]])) as Pick<Values, Field>;
}
