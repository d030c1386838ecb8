import { type RefObject, useEffect, useEffectEvent } from 'react';

/**
 * Passes on the fields of a form that were typed or filled in before the scripts of the page ran, which React would empty.
 */
export function useEarlyInput(
  form: RefObject<HTMLFormElement | null>,
  take: (fields: Record<string, string>) => void,
): void {
  const onMount = useEffectEvent(() => {
    const fields = fieldsOf(form.current);
    if (Object.keys(fields).length > 0) take(fields);
  });
  useEffect(() => onMount(), []);
}

/** Returns the texts in a form’s fields, which a password manager may have set without an event, without the empty ones. */
export function fieldsOf(form: HTMLFormElement | null): Record<string, string> {
  const fields = form ? [...new FormData(form)] : [];
  return Object.fromEntries(
    fields.flatMap(([name, text]) => (typeof text === 'string' && text !== '' ? [[name, text]] : [])),
  );
}
