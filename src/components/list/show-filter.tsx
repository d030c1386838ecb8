import { parseAsStringLiteral } from 'nuqs';
import type { ComponentProps } from 'react';
import { formatCount } from '@/lib/format';
import { SegmentedControl } from '../segmented-control';

/** The values of a `show` filter, the default first, with the filters of the API that they stand for. */
type Choices<Show extends string> = Record<Show, { label: string; input?: object }>;

/** For lists whose rows are active or inactive. */
export const ACTIVE_CHOICES = {
  all: { label: 'All', input: {} },
  active: { label: 'Active', input: { active: true } },
  inactive: { label: 'Inactive', input: { active: false } },
};

export function parseAsShow<Show extends string>(choices: Choices<Show>) {
  const values = Object.keys(choices) as [Show, ...Show[]];
  return parseAsStringLiteral(values).withDefault(values[0]);
}

type ShowFilterProps<Show extends string> = Pick<ComponentProps<typeof SegmentedControl>, 'narrow'> & {
  search: { values: { show: Show }; change: (changes: { show: Show }) => void };
  choices: Choices<Show>;
  label?: string;
  /** How many rows there are, where it matters. */
  counts?: Partial<Record<Show, number>>;
};

/** Chooses the rows that a list shows. */
export function ShowFilter<Show extends string>({
  search,
  choices,
  label = 'Status',
  narrow = 'line',
  counts,
}: ShowFilterProps<Show>) {
  const labels = Object.entries<Choices<Show>[Show]>(choices).map(([show, choice]) => {
    const count = counts?.[show as Show];
    return [show, count ? `${choice.label} ${formatCount(count)}` : choice.label];
  });
  return (
    <SegmentedControl
      label={label}
      value={search.values.show}
      options={Object.fromEntries(labels) as Record<Show, string>}
      narrow={narrow}
      onChange={(show) => search.change({ show })}
    />
  );
}
