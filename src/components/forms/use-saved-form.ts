'use client';

import { useEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import { isVersionConflict, type Problem, toProblem } from '../api/problem';
import { type ConflictingField, conflictingFields, type ShownFields } from './conflicting-fields';
import { type ApiForm, useApiForm } from './use-api-form';

/** Another change that was saved since the form was loaded. */
export type Conflict = {
  fields: ConflictingField[];
  /** Drops the changes of the form. */
  onReload: () => void;
  /** Saves them over the other change. */
  onOverwrite: () => void;
  onClose: () => void;
};

type SavedForm<Values> = ApiForm<Values> & {
  isDirty: boolean;
  /** For ConflictDialog, which the save bar has. */
  conflict: Conflict | null;
  saveBar: {
    isDirty: boolean;
    isSaving: boolean;
    isSaved: boolean;
    onDiscard: () => void;
    conflict: Conflict | null;
  };
};

type Options<Saved extends object, Field extends keyof Saved & string, Input> = {
  /** Validates the input of `submit`. */
  schema: z.ZodType;
  saved: Saved;
  fields: ShownFields<Saved, Field>;
  /** The API call's input for the changed fields. */
  toInput: (changes: Partial<Pick<Saved, Field>>) => Input;
  /** Makes the call, which must fail if the record isn't as it was loaded: see `ifUnchanged`. */
  submit: (input: Input, loaded: Saved) => Promise<Saved>;
  /** The record in a conflict, if it isn't all of `details.current`. */
  currentOf?: (current: unknown, loaded: Saved) => Saved;
  /** `isEdited` says that the form has changes which were made while it was saved. */
  onSaved?: (result: Saved, isEdited: boolean) => unknown;
};

/**
 * A form for settings that exist already. It sends only changed fields, on the condition that nobody has changed the record
 * since it was loaded, and then has the values that the server returned. What was changed in the meantime stays, unsaved.
 */
export function useSavedForm<Saved extends object, Field extends keyof Saved & string, Input extends object>(
  options: Options<Saved, Field, Input>,
): SavedForm<Pick<Saved, Field>> {
  const { schema, saved, fields, toInput, submit, onSaved } = options;
  const { currentOf = (current) => current as Saved } = options;
  const names = Object.keys(fields) as Field[];
  const loaded = useRef(saved);
  const seen = useRef(JSON.stringify(saved));
  const [isSaved, setIsSaved] = useState(false);
  const [found, setFound] = useState<{ current: Saved; fields: ConflictingField[] } | null>(null);

  const send = async (input: Input): Promise<Saved> => {
    try {
      return await submit(input, loaded.current);
    } catch (error) {
      const current = currentIn(toProblem(error));
      if (!current) throw error;
      const conflicting = conflictingFields(fields, {
        loaded: loaded.current,
        yours: api.form.getValues(),
        current,
      });
      if (conflicting.length > 0) {
        setFound({ current, fields: conflicting });
        throw error;
      }
      // The record's fields in the form are as they were loaded, or as they should become, and the others aren't sent.
      loaded.current = current;
      return send(input);
    }
  };
  const api: ApiForm<Pick<Saved, Field>> = useApiForm({
    schema,
    initialValues: pick(saved, names),
    toInput: (values: Pick<Saved, Field>) => toInput(pick(values, names.filter(isChanged))),
    submit: send,
    hasDialog: (problem) => currentIn(problem) !== null,
    onSaved: async (result: Saved, sent: Pick<Saved, Field>) => {
      const values = api.form.getValues();
      const edited = names.filter((name) => !isSame(values, sent, [name]));
      adopt(result, pick(values, edited));
      setIsSaved(true);
      await onSaved?.(result, edited.length > 0);
    },
  });
  const isDirty = api.form.isDirty();

  useEffect(() => {
    const text = JSON.stringify(saved);
    if (text === seen.current) return;
    seen.current = text;
    // The record was loaded again. What the form doesn't show may change under an edit, and the rest while there is none.
    if (isSame(saved, loaded.current)) loaded.current = saved;
    else if (!api.form.isDirty()) adopt(saved);
  });

  function adopt(record: Saved, edited: Partial<Pick<Saved, Field>> = {}): void {
    loaded.current = record;
    const values = pick<Pick<Saved, Field>, Field>(record, names);
    api.form.setInitialValues(values);
    api.form.setValues({ ...values, ...edited });
    api.form.clearErrors();
  }
  function isChanged(field: Field): boolean {
    return api.form.isDirty(field);
  }
  function isSame(one: Pick<Saved, Field>, other: Pick<Saved, Field>, of: Field[] = names): boolean {
    return JSON.stringify(pick(one, of)) === JSON.stringify(pick(other, of));
  }
  function currentIn(problem: Problem): Saved | null {
    return isVersionConflict(problem) ? currentOf(problem.details.current, loaded.current) : null;
  }

  const conflict = found && {
    fields: found.fields,
    onReload: () => {
      adopt(found.current);
      setFound(null);
    },
    onOverwrite: () => {
      loaded.current = found.current;
      setFound(null);
      api.submitAgain();
    },
    onClose: () => setFound(null),
  };
  return {
    ...api,
    isDirty,
    conflict,
    saveBar: {
      isDirty,
      isSaving: api.isBusy,
      isSaved,
      onDiscard: () => {
        api.reset();
        adopt(saved);
        setIsSaved(false);
      },
      conflict,
    },
  };
}

function pick<Values extends object, Field extends keyof Values>(
  values: Values,
  fields: readonly Field[],
): Pick<Values, Field> {
  return Object.fromEntries(fields.map((field) => [field, values[field]])) as Pick<Values, Field>;
}
