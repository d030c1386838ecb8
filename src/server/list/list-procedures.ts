import type { TRPCQueryProcedure } from '@trpc/server';
import type { z } from 'zod';
import { formatCount } from '@/lib/format';
import { type List, MAX_EXPORT_ROWS } from '@/lib/lists';
import { EXPORT_PARAMETERS, PAGE_PARAMETERS, page } from '@/lib/wire';
import type { Page } from '../pagination';
import type { ActorContext } from '../procedures/context';
import type { authedProcedure } from '../procedures/trpc';
import { FileOutput } from '../rest/file';
import { type Operation, type ProcedureMeta, rest } from '../rest/meta';
import { exportList, onePage } from './export-list';

type Query<Input, Output> = TRPCQueryProcedure<{ input: Input; output: Output; meta: ProcedureMeta }>;

type Names = Pick<List<never>, 'path' | 'what' | 'fullName'>;

/** `procedure` sets the role: authedProcedure, adminProcedure or superAdminProcedure. */
type Route = Omit<Operation, 'summary'> & { procedure: typeof authedProcedure };

type ListRoute<Item extends z.ZodType, Input extends z.ZodObject> = Route & {
  item: Item;
  /** An object of `pageQuery` and the filters. */
  input: Input;
  find: (ctx: ActorContext, input: z.output<Input>) => Promise<Page<z.input<Item>>>;
};

type ListRoutes<Item extends z.ZodType, Input extends z.ZodObject> = ListRoute<Item, Input> & {
  /** Sets the role for the export, if it is another one. */
  exportedBy?: typeof authedProcedure;
  /** At least the rows of the list, where it doesn't count them itself. */
  atMost?: (ctx: ActorContext) => Promise<number>;
};

const EXPORT_DESCRIPTION =
  `Takes the list’s filters, \`sort\` and \`order\`. At most ${formatCount(MAX_EXPORT_ROWS)} rows: the header ` +
  '`X-Row-Limit-Reached` says whether there are more.';

/** The routes of a list: its pages, and all of them as CSV, by the same filters and in the same order. */
export function listProcedures<Item extends z.ZodType<object, object>, Input extends z.ZodObject>(
  list: List<z.input<Item>>,
  { exportedBy, atMost, ...route }: ListRoutes<Item, Input>,
) {
  const { procedure, item, input, find, ...operation } = route;
  const exported = input.omit(PAGE_PARAMETERS).extend(EXPORT_PARAMETERS);
  return {
    list: listProcedure(list, route),
    export: (exportedBy ?? procedure)(exported)
      .meta(exportRoute(list, { ...operation, description: EXPORT_DESCRIPTION }))
      .output(FileOutput)
      .query(({ ctx, input: { format: _, ...filters } }) => {
        const read = (part: object) => find(ctx, { ...filters, ...part } as z.output<Input>);
        return exportList(ctx, list, read, { atMost: atMost && (() => atMost(ctx)) });
      }),
  };
}

/** The route of a list alone, whose export is another file. */
export function listProcedure<Item extends z.ZodType<object, object>, Input extends z.ZodObject>(
  { path, what, fullName = what }: Names,
  { procedure, item, input, find, ...operation }: ListRoute<Item, Input>,
) {
  return procedure(input)
    .meta(rest('GET', path, { ...operation, summary: `List ${fullName}`, isPaginated: true }))
    .output(page(item))
    .query(({ ctx, input: filters }) => find(ctx, filters as z.output<Input>)) as Query<
    z.input<Input>,
    Page<z.output<Item>>
  >;
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

function exportRoute({ path, what, fullName = what }: Names, operation: Omit<Operation, 'summary'>): ProcedureMeta {
  return rest('GET', `${path}/export`, {
    ...operation,
    summary: `Export ${fullName} as CSV`,
    file: 'text/csv; charset=utf-8',
  });
}
