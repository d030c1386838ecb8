'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { type Nullable, parseAsString, parseAsStringLiteral, type useQueryStates, type Values } from 'nuqs';
import type { Sorted } from '@/lib/lists';
import { useCursorHistory } from '../data-table/cursor-history';
import { useUrlState } from '../url-state';

type Parsers = Parameters<typeof useQueryStates>[0];
type SortOrder = 'asc' | 'desc';

type ListSearchOptions<Filters extends Parsers, View extends Parsers> = {
  /** Parameters that narrow the list. Text is debounced. */
  filters: Filters;
  /** Other parameters of the URL: the order, open dialogs, the open row. */
  view?: View;
  /** Set when a filter changes, such as `{ open: null }`. */
  resets?: Partial<Nullable<Values<View>>>;
};

const DEBOUNCE_MS = 200;
const POSITION = { cursor: parseAsString };

/** The filters, order and page of a list, kept in the URL. */
export function useListSearch<Filters extends Parsers, View extends Parsers>({
  filters,
  view,
  resets,
}: ListSearchOptions<Filters, View>) {
  type All = Filters & View & typeof POSITION;
  type Changes = Partial<Nullable<Values<Filters & View>>>;
  const { values, choose, open } = useUrlState({ ...filters, ...view, ...POSITION } as All);
  const history = useCursorHistory();
  const settled = useSettled(values as Values<Filters>, filters);
  const change = (changes: object) => choose({ cursor: null, ...changes } as Parameters<typeof choose>[0]);
  const names = Object.keys(filters);
  const parseSort = view?.sort?.parse as ((field: string) => unknown) | undefined;
  const { sort, order } = values as { sort?: string; order?: SortOrder };

  return {
    /** The current values of the URL. */
    values: values as Values<Filters & View>,
    /** The filters to load by. */
    settled,
    history,
    /** The parameters of the URL that a saved view has to keep. */
    kept: [...names, ...(order ? ['order'] : [])] as ((keyof Filters | Extract<keyof View, 'order'>) & string)[],
    isFiltered: names.some((name) => settled[name] !== (filters[name]?.defaultValue ?? null)),
    /** Changes filters or the order, and returns to the first page. */
    change: (changes: Changes) => change({ ...resets, ...changes }),
    /** Changes the rest: opens or closes a dialog or a row. */
    open: (changes: Partial<Nullable<Values<View>>>) => open(changes as Parameters<typeof open>[0]),
    clear: () => change({ ...resets, ...Object.fromEntries(names.map((name) => [name, null])) }),
    sort: order && {
      field: sort ?? '',
      isChosen: sort !== view?.sort?.defaultValue,
      order,
      onSort: (field: string, next: SortOrder) => change({ order: next, ...(sort && { sort: parseSort?.(field) }) }),
    },
  };
}

/** The part of a list's search that the list's components need. */
export type ListSearch<Kept extends string = string> = Pick<
  ReturnType<typeof useListSearch<Parsers, Parsers>>,
  'history' | 'isFiltered' | 'clear' | 'sort'
> & { kept: Kept[] };

/** The order of a list. @param first the default, where the page's differs from the API's */
export function sortBy<Sort extends string>({ sorts }: Sorted<Sort>, first: { sort?: Sort; order?: SortOrder } = {}) {
  return {
    sort: parseAsStringLiteral(sorts).withDefault(first.sort ?? sorts[0]),
    order: parseAsStringLiteral(['asc', 'desc']).withDefault(first.order ?? 'desc'),
  };
}

export const parseAsText = parseAsString.withDefault('');

function useSettled<Filters extends Parsers>(values: Values<Filters>, filters: Filters): Values<Filters> {
  const isText = (name: string) => filters[name]?.defaultValue === '';
  const texts = Object.keys(filters).flatMap((name) => (isText(name) ? [[name, `${values[name]}`.trim()]] : []));
  const [json] = useDebouncedValue(JSON.stringify(texts), DEBOUNCE_MS);
  return { ...values, ...Object.fromEntries(JSON.parse(json)) };
}
