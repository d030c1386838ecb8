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

/** `procedure` sets the role: authedProcedure, adminProcedure or superAdminProcedure. */
type Route = Omit<Operation, 'summary'> & { procedure: typeof authedProcedure };

type ListRoutes<Item extends z.ZodType, Input extends z.ZodObject> = Route & {
  item: Item;
  /** An object of `pageQuery` and the filters. */
  input: Input;
  find: (ctx: ActorContext, input: z.output<Input>) => Promise<Page<z.input<Item>>>;
  /** Sets the role for the export, if it is another one. */
  exportedBy?: typeof authedProcedure;
  /** At least the rows of the list, where it doesn't count them itself. */
  atMost?: (ctx: ActorContext) => Promise<number>;
};

const CSV = { file: 'text/csv; charset=utf-8' };
const EXPORT_DESCRIPTION =
  `Takes the list’s filters, \`sort\` and \`order\`. At most ${formatCount(MAX_EXPORT_ROWS)} rows: the header ` +
  '`X-Row-Limit-Reached` says whether there are more.';

/** The routes of a list: its pages, and all of them as CSV, by the same filters and in the same order. */
export function listProcedures<Item extends z.ZodType<object, object>, Input extends z.ZodObject>(
  list: List<z.input<Item>>,
  { procedure, exportedBy = procedure, item, input, find, atMost, ...operation }: ListRoutes<Item, Input>,
) {
  type Filters = z.output<Input>;
  const { path, what, fullName = what } = list;
  const exported = input.omit(PAGE_PARAMETERS).extend(EXPORT_PARAMETERS);
  return {
    list: procedure(input)
      .meta(rest('GET', path, { ...operation, summary: `List ${fullName}`, isPaginated: true }))
      .output(page(item))
      .query(({ ctx, input: filters }) => find(ctx, filters as Filters)) as Query<z.input<Input>, Page<z.output<Item>>>,
    export: exportedBy(exported)
      .meta(rest('GET', `${path}/export`, { ...operation, ...CSV, ...ofExport(list), description: EXPORT_DESCRIPTION }))
      .output(FileOutput)
      .query(({ ctx, input: { format: _, ...filters } }) => {
        const read = (part: object) => find(ctx, { ...filters, ...part } as Filters);
        return exportList(ctx, list, read, { atMost: atMost && (() => atMost(ctx)) });
      }),
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
    .meta(rest('GET', `${list.path}/export`, { ...operation, ...CSV, ...ofExport(list) }))
    .output(FileOutput)
    .query(async ({ ctx, input: given }) => exportList(ctx, list, onePage(await items(ctx, given as z.output<Input>))));
}

function ofExport({ what, fullName = what }: List<never>): { summary: string } {
  return { summary: `Export ${fullName} as CSV` };
}
