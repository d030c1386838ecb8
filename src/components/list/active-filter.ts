import { parseAsStringLiteral } from 'nuqs';

/** The `show` filter of lists whose rows are active or inactive. */
export const parseAsShown = parseAsStringLiteral(['all', 'active', 'inactive']).withDefault('all');

export const SHOWN_LABELS = { all: 'All', active: 'Active', inactive: 'Inactive' } as const;

/** The API's `active` for each value of `show`. */
export const SHOWN = { all: undefined, active: true, inactive: false } as const;
