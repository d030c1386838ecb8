'use client';

import { type FormErrors, schemaResolver, type UseFormReturnType, useForm } from '@mantine/form';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { z } from 'zod';
import { isSessionLost, type Problem, toProblem } from '../api/problem';
import { type FieldError, matchFields, matchProblem } from './field-errors';

const FIRST_INVALID = ':is([aria-invalid="true"], [data-error] :is(input, textarea), input[data-error]):not(:disabled)';

export type ApiForm<Values> = {
  form: UseFormReturnType<Values>;
  /** The failure that the alert shows: the last one without the errors that are shown on fields. */
  problem: Problem | null;
  /** The last failure in full. */
  failure: Problem | null;
  isBusy: boolean;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  /** Sends the values again, after a failure. */
  submitAgain: () => void;
  /** Discards all changes and errors. */
  reset: () => void;
};

type Options<Values, Result> = {
  /** Validates the input of `submit`. Its keys are the names of the form's fields. */
  schema: z.ZodType;
  initialValues: Values;
  /** Rules for values that the schema never sees. */
  rules?: (values: Values) => FormErrors;
  /** The message of an error in a list or record. */
  describe?: (error: FieldError, values: Values) => string;
  onSaved?: (result: Result, values: Values) => unknown;
  /** Whether a problem has a dialog of its own, so that no alert shows it. */
  hasDialog?: (problem: Problem) => boolean;
};

type SubmitValues<Values, Result> = { toInput?: undefined; submit: (input: Values) => Promise<Result> };
type SubmitInput<Values, Input, Result> = {
  toInput: (values: Values) => Input;
  submit: (input: Input, values: Values) => Promise<Result>;
};

/** A form whose values have the shape of an API call, validated by the schema of that call. */
export function useApiForm<Values extends object, Result>(
  options: Options<Values, Result> & SubmitValues<Values, Result>,
): ApiForm<Values>;
export function useApiForm<Values extends object, Input extends object, Result>(
  options: Options<Values, Result> & SubmitInput<Values, Input, Result>,
): ApiForm<Values>;
export function useApiForm<Values extends object, Result>(
  options: Options<Values, Result> & {
    toInput?: (values: Values) => object;
    submit: (input: never, values: Values) => Promise<Result>;
  },
): ApiForm<Values> {
  const { schema, initialValues, toInput = identity, submit, rules, describe } = options;
  const [failure, setFailure] = useState<Problem | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isSubmitting = useRef(false);
  const element = useRef<HTMLFormElement>(null);
  const shouldFocusError = useRef(false);
  const messageOf = (error: FieldError): string => describe?.(error, form.getValues()) ?? error.message;

  const form: UseFormReturnType<Values> = useForm<Values>({
    initialValues,
    validate: (values) => {
      const errors = schemaResolver(schema, { sync: true })(toInput(values));
      const fields = Object.entries(errors).map(([path, message]) => ({ path, message: String(message) }));
      return { ...matchFields(fields, values, messageOf).matched, ...rules?.(values) };
    },
  });

  useEffect(() => {
    if (!shouldFocusError.current || Object.keys(form.errors).length === 0) return;
    shouldFocusError.current = false;
    const field = element.current?.querySelector<HTMLElement>(FIRST_INVALID);
    field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: 'center' });
  }, [form.errors]);

  const fail = (found: Problem, input: object) => {
    const { matched, unmatched } = matchProblem(found, { values: form.getValues(), input, messageOf });
    shouldFocusError.current = true;
    setFailure(found);
    form.setErrors(matched);
    setProblem(isSessionLost(found) || options.hasDialog?.(found) ? null : unmatched);
  };

  const send = async (values: Values) => {
    if (isSubmitting.current) return;
    isSubmitting.current = true;
    setFailure(null);
    setProblem(null);
    const input = toInput(values);
    try {
      const outcome = await submit(input as never, values).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      if ('error' in outcome) fail(toProblem(outcome.error), input);
      else await options.onSaved?.(outcome.result, values);
    } finally {
      isSubmitting.current = false;
    }
  };

  return {
    form,
    problem,
    failure,
    isBusy: form.submitting,
    onSubmit: (event) => {
      element.current = event.currentTarget;
      form.onSubmit(send, () => {
        shouldFocusError.current = true;
      })(event);
    },
    submitAgain: () => form.onSubmit(send)(),
    reset: () => {
      form.reset();
      setFailure(null);
      setProblem(null);
    },
  };
}

/** The values with these texts trimmed. */
export function trimmed<Values extends object>(values: Values, names: (keyof Values)[]): Values {
  const texts = names.flatMap((name) => {
    const text = values[name];
    return typeof text === 'string' ? [[name, text.trim()]] : [];
  });
  return { ...values, ...Object.fromEntries(texts) };
}

function identity<Value>(value: Value): Value {
  return value;
}
