import { parseAsStringLiteral } from 'nuqs';
import type { ComponentProps } from 'react';
import { SegmentedControl } from '../segmented-control';

/** The `show` filter of lists whose rows are active or inactive. */
export const parseAsShown = parseAsStringLiteral(['all', 'active', 'inactive']).withDefault('all');

export const SHOWN_LABELS = { all: 'All', active: 'Active', inactive: 'Inactive' } as const;

/** The API's `active` for each value of `show`. */
export const SHOWN = { all: undefined, active: true, inactive: false } as const;

type ShowFilterProps<Show extends string> = Pick<
  ComponentProps<typeof SegmentedControl<Show>>,
  'options' | 'narrow'
> & {
  search: { values: { show: Show }; change: (changes: { show: Show }) => void };
  label?: string;
};

/** Chooses the rows that a list shows. */
export function ShowFilter<Show extends string>({ search, label = 'Status', ...props }: ShowFilterProps<Show>) {
  const { values, change } = search;
  return <SegmentedControl label={label} value={values.show} onChange={(show) => change({ show })} {...props} />;
}
