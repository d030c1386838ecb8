import type { z } from 'zod';
import type { ViewPage } from './saved-views';

/** How many rows the export of a list has at most. */
export const MAX_EXPORT_ROWS = 100_000;
/** How far a list counts its rows. */
export const MAX_TOTAL = 10_000;
/** How far the rows are counted that a change of the configuration would delete. */
export const MAX_COUNTED_ROWS = 100_000;

/** The keys of labels, which are the choices of a filter. */
export function choicesOf<Choice extends string>(labels: Readonly<Record<Choice, unknown>>): Choice[] {
  return Object.keys(labels) as Choice[];
}

/** The rows to show before all are asked for. Two more are shown at once: a button for them would take as much room. */
export function firstRows<Row>(rows: Row[], count: number): Row[] {
  return rows.length > count + 2 ? rows.slice(0, count) : rows;
}

/** The common part of a list's input, routes and pages, as plain data that is safe in a browser. */
export type ApiList = {
  /** The noun for the listed records, such as "mailboxes". */
  what: string;
  /** The same where no page gives the context, such as "queued messages". */
  fullName?: string;
  /** Path of the REST endpoint. Its export is at `/export` below it. */
  path: `/${string}`;
} & Partial<Sorted<Lowercase<string>>>;

/** The same of a list with a CSV file. */
export type List<Item> = ApiList & {
  /** Name of the CSV file, without its date. By default, that of the path. */
  file?: string;
  /** The columns of the CSV file. */
  csv: readonly CsvColumn<Item>[];
  /** Where its filters and order can be saved as views. */
  views?: ViewPage;
};

/** A list with pages. */
export type Sorted<Sort extends string = string> = {
  /** The fields to sort by. By default, the first one, descending. */
  sorts: readonly [Sort, ...Sort[]];
};

export type SortOf<List extends Sorted> = List['sorts'][number];

/** The input of a list: its filters, and the page and order. */
export type ListInput<List extends Sorted, Filters extends z.ZodObject = z.ZodObject> = z.output<Filters> &
  PageInput<SortOf<List>>;

export type PageInput<Sort extends string = string> = {
  cursor?: string;
  limit: number;
  sort: Sort;
  order: 'asc' | 'desc';
  total?: boolean;
};

/** A field of the items, or a name and the value. */
export type CsvColumn<Item> = (keyof Item & string) | readonly [name: string, valueOf: (item: Item) => unknown];
