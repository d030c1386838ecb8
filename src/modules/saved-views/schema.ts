import { z } from 'zod';
import { VIEW_PAGES, type ViewPage, viewQuery } from '@/lib/saved-views';
import { ViewName } from '@/lib/view-name';
import { Id, plainText, Timestamp } from '@/lib/wire';

const MAX_QUERY_LENGTH = 2_000;
const PAGES = Object.keys(VIEW_PAGES) as [ViewPage, ...ViewPage[]];

const Page = z.enum(PAGES).meta({ description: 'The list' });

const Query = plainText(MAX_QUERY_LENGTH)
  .min(1, 'Set at least one filter or an order.')
  .meta({
    description: 'Filters and order as in the URL of the console, without `?`',
    examples: ['status=bounced&order=asc'],
  });

export const SavedView = z
  .object({ id: Id, page: Page, name: z.string(), query: z.string(), created_at: Timestamp, updated_at: Timestamp })
  .meta({ id: 'SavedView' });
export type SavedView = z.infer<typeof SavedView>;

export const ListSavedViews = z.strictObject({ page: Page.optional() });
export type ListSavedViews = z.infer<typeof ListSavedViews>;

export const CreateSavedView = z
  .strictObject({ page: Page, name: ViewName, query: Query })
  .superRefine(({ page, query }, ctx) => {
    const error = queryError(page, query);
    if (error) ctx.addIssue({ code: 'custom', path: ['query'], message: error });
  });
export type CreateSavedView = z.infer<typeof CreateSavedView>;

export const UpdateSavedView = z.strictObject({ id: Id, query: Query });
export type UpdateSavedView = z.infer<typeof UpdateSavedView>;

/** Why a page has no view with these parameters, or null. */
export function queryError(page: ViewPage, query: string): string | null {
  const search = new URLSearchParams(query);
  const names = [...search.keys()];
  const known: readonly string[] = VIEW_PAGES[page].parameters;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) return `A view of this list can’t have ${unknown}. Use ${known.join(', ')}.`;
  if (new Set(names).size < names.length) return 'Give each parameter once.';
  return viewQuery(page, search) === '' ? 'Set at least one filter or an order.' : null;
}
