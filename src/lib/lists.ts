import type { ViewPage } from './saved-views';

/** How many rows the export of a list has at most. */
export const MAX_EXPORT_ROWS = 100_000;
/** How far a list counts its rows. */
export const MAX_TOTAL = 10_000;

/** What the routes, the CSV file and the console's page of a list have in common, as plain data that is safe in a browser. */
export type List<Item> = {
  /** What is listed, such as "mailboxes". */
  what: string;
  /** The same where no page gives the context, such as "queued messages". */
  fullName?: string;
  /** Path of the REST endpoint. Its export is at `/export` below it. */
  path: `/${string}`;
  /** Name of the CSV file, without its date. */
  file: string;
  /** The columns of the CSV file. */
  csv: readonly CsvColumn<Item>[];
  /** Where its filters and order can be saved as views. */
  views?: ViewPage;
};

/** A field of the items, or a name and the value. */
export type CsvColumn<Item> = (keyof Item & string) | readonly [name: string, valueOf: (item: Item) => unknown];
