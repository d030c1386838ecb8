'use client';

import { parseAsBoolean } from 'nuqs';
import { useUrlState } from '../url-state';

const IS_OPEN = parseAsBoolean.withDefault(false);

/** A dialog that is opened by a query parameter, so that links lead to it and Back closes it. */
export function useUrlDialog(name: string) {
  const { values, open } = useUrlState({ [name]: IS_OPEN });
  return [values[name] === true, { open: () => open({ [name]: true }), close: () => open({ [name]: null }) }] as const;
}
