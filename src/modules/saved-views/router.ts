import { z } from 'zod';
import { ById, Confirmation } from '@/lib/wire';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { CreateSavedView, ListSavedViews, SavedView, UpdateSavedView } from './schema';
import { createSavedView, deleteSavedView, getSavedView, listSavedViews, updateSavedView } from './service';

const rest = restOf('Saved views');
const record = versioned('saved_view', getSavedView);

export const savedViewsRouter = router({
  list: authedProcedure(ListSavedViews)
    .meta(
      rest('GET', '/auth/me/views', {
        summary: 'List your saved views',
        description: 'Searches of the console’s lists, by name. Each admin has their own, at most 50.',
      }),
    )
    .output(z.array(SavedView))
    .query(({ ctx, input }) => listSavedViews(ctx, input)),

  create: authedProcedure(CreateSavedView)
    .meta(
      rest('POST', '/auth/me/views', {
        summary: 'Save a view',
        status: 201,
        audit: 'saved_view.create',
        confirmation: null,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(SavedView)
    .mutation(({ ctx, input }) => createSavedView(ctx, input)),

  update: authedProcedure(UpdateSavedView)
    .meta(
      rest('PATCH', '/auth/me/views/{id}', {
        versioned: record,
        summary: 'Change the filters of a saved view',
        audit: 'saved_view.update',
        confirmation: null,
      }),
    )
    .output(SavedView)
    .mutation(({ ctx, input }) => updateSavedView(ctx, input)),

  delete: authedProcedure(ById)
    .meta(
      rest('DELETE', '/auth/me/views/{id}', {
        versioned: record,
        summary: 'Delete a saved view',
        audit: 'saved_view.delete',
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteSavedView(ctx, input)),
});
