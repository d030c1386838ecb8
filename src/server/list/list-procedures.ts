import type { TRPCQueryProcedure } from '@trpc/server';
import { z } from 'zod';
import { formatCount } from '@/lib/format';
import { type ApiList, type List, MAX_EXPORT_ROWS, MAX_TOTAL, type PageInput, type Sorted } from '@/lib/lists';
import { type Empty, EXPORT_PARAMETERS, page } from '@/lib/wire';
import type { Page } from '../pagination';
import type { ActorContext } from '../procedures/context';
import type { authedProcedure } from '../procedures/trpc';
import { FileOutput } from '../rest/file';
import { type Operation, type ProcedureMeta, rest } from '../rest/meta';
import { exportList, onePage } from './export-list';

type Query<Input, Output> = TRPCQueryProcedure<{ input: Input; output: Output; meta: ProcedureMeta }>;

type ItemType = z.ZodType<object, object>;

/** `procedure` sets the role: authedProcedure, adminProcedure or superAdminProcedure. */
type Route = Omit<Operation, 'summary'> & { procedure: typeof authedProcedure };

type ListRoute<Item extends ItemType, Filters extends z.ZodObject, Sort extends string> = Route & {
  item: Item;
  /** The filters, and the parameters of the path. */
  filters?: Filters;
  find: (ctx: ActorContext, input: z.output<Filters> & PageInput<Sort>) => Promise<Page<z.input<Item>>>;
};

type ExportOptions = {
  /** Sets the role for the export, if it is another one. */
  exportedBy?: typeof authedProcedure;
  /** At least the rows of the list, where it doesn't count them itself. */
  atMost?: (ctx: ActorContext) => Promise<number>;
};

const EXPORT_DESCRIPTION =
  `Takes the list’s filters, \`sort\` and \`order\`. At most ${formatCount(MAX_EXPORT_ROWS)} rows: the header ` +
  '`X-Row-Limit-Reached` says whether there are more.';

/** The routes of a list: its pages, and all of them as CSV, by the same filters and in the same order. */
export function listProcedures<Item extends ItemType, Sort extends string, Filters extends z.ZodObject = typeof Empty>(
  list: List<z.input<Item>> & Sorted<Sort>,
  { exportedBy, atMost, ...route }: ListRoute<Item, Filters, Sort> & ExportOptions,
) {
  const { procedure, item, filters, find, ...operation } = route;
  const input = z.strictObject({ ...orderQuery(list), ...filters?.shape, ...EXPORT_PARAMETERS });
  return {
    list: listProcedure(list, route),
    export: (exportedBy ?? procedure)(input)
      .meta(exportRoute(list, { ...operation, description: EXPORT_DESCRIPTION }))
      .output(FileOutput)
      .query(({ ctx, input: { format: _, ...given } }) => {
        const read = (part: object) => find(ctx, { ...given, ...part } as Parameters<typeof find>[1]);
        return exportList(ctx, list, read, { atMost: atMost && (() => atMost(ctx)) });
      }),
  };
}

/** The route of a list alone, whose export is another file or which has none. */
export function listProcedure<Item extends ItemType, Sort extends string, Filters extends z.ZodObject = typeof Empty>(
  list: ApiList & Sorted<Sort>,
  { procedure, item, filters, find, ...operation }: ListRoute<Item, Filters, Sort>,
) {
  const { path, what, fullName = what } = list;
  return procedure(z.strictObject({ ...pageQuery(list), ...filters?.shape }))
    .meta(rest('GET', path, { ...operation, summary: `List ${fullName}`, isPaginated: true }))
    .output(page(item))
    .query(({ ctx, input }) => find(ctx, input as Parameters<typeof find>[1])) as Query<
    Pick<z.input<Filters>, keyof z.input<Filters> & keyof Filters['shape']> & Partial<PageInput<Sort>>,
    Page<z.output<Item>>
  >;
}

function pageQuery<Sort extends string>(list: Sorted<Sort>) {
  return {
    cursor: z.string().min(1).max(2048).optional().meta({ description: 'next_cursor of the previous page' }),
    limit: z.number().int().min(1).max(200).default(50).meta({ description: 'Page size, 1 to 200' }),
    ...orderQuery(list),
    total: z
      .boolean()
      .optional()
      .meta({ description: `Whether to count the matching rows, up to ${formatCount(MAX_TOTAL)}` }),
  };
}

/** The query parameters for the order of a list. */
export function orderQuery<Sort extends string>({ sorts }: Sorted<Sort>, order: 'asc' | 'desc' = 'desc') {
  return {
    sort: z.enum(sorts).default(sorts[0]).meta({ description: 'Field to sort by' }),
    order: z.enum(['asc', 'desc']).default(order),
  };
}

type ExportRoute<Item, Input extends z.ZodObject> = Route & {
  input: Input;
  items: (ctx: ActorContext, input: z.output<Input>) => Promise<Item[]>;
};

/** The route that exports a list without pages. */
export function exportProcedure<Item extends object, Input extends z.ZodObject>(
  list: List<Item>,
  { procedure, input, items, ...operation }: ExportRoute<Item, Input>,
) {
  return procedure(input.extend(EXPORT_PARAMETERS))
    .meta(exportRoute(list, operation))
    .output(FileOutput)
    .query(async ({ ctx, input: given }) => exportList(ctx, list, onePage(await items(ctx, given as z.output<Input>))));
}

function exportRoute({ path, what, fullName = what }: ApiList, operation: Omit<Operation, 'summary'>): ProcedureMeta {
  return rest('GET', `${path}/export`, {
    ...operation,
    summary: `Export ${fullName} as CSV`,
    file: 'text/csv; charset=utf-8',
  });
}
