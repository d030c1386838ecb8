import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { deleteMatchingSuppressions } from './delete-matching';
import { suppressionList } from './lists';
import {
  CreateSuppression,
  DeletedSuppressions,
  DeleteSuppressions,
  ImportSuppressions,
  Suppression,
  SuppressionFilters,
  SuppressionImportReport,
} from './schema';
import { createSuppression, deleteSuppression, getSuppression, listSuppressions } from './service';
import { importSuppressions } from './transfer';

const tag = 'Suppressions';
const rest = restOf(tag);
const isOpenToScopedKeys = true;

const suppressions = listProcedures(suppressionList, {
  procedure: authedProcedure,
  item: Suppression,
  filters: SuppressionFilters,
  find: listSuppressions,
  tag,
  description: 'Domain admins and scoped keys see those of their domains only, not those of all domains.',
  isOpenToScopedKeys,
});

export const suppressionsRouter = router({
  list: suppressions.list,

  create: authedProcedure(CreateSuppression)
    .meta(
      rest('POST', '/suppressions', {
        summary: 'Suppress an address',
        description: 'Takes effect with the next message. A suppression of all domains requires the role admin.',
        status: 201,
        audit: 'suppression.create',
        confirmation: null,
        isOpenToScopedKeys,
        errors: { 403: ['DOMAIN_INACTIVE'], 409: ['CONFLICT'] },
      }),
    )
    .output(Suppression)
    .mutation(({ ctx, input }) => createSuppression(ctx, input)),

  import: authedProcedure(ImportSuppressions)
    .meta(
      rest('POST', '/suppressions/import', {
        summary: 'Import suppressions from CSV',
        description:
          'Each line is checked separately, and a line that fails does not affect the others. With `dry_run`, nothing changes.',
        audit: 'suppression.import',
        confirmation: null,
        isOpenToScopedKeys,
        errors: { 403: ['DOMAIN_INACTIVE'] },
      }),
    )
    .output(SuppressionImportReport)
    .mutation(({ ctx, input }) => importSuppressions(ctx, input)),

  deleteMatching: authedProcedure(DeleteSuppressions)
    .meta(
      rest('POST', '/suppressions/delete', {
        summary: 'Delete matching suppressions',
        description:
          'Takes the filters of the list, and at least one. The addresses get mail again with the next message, unless another ' +
          'suppression holds. With `dry_run`, nothing changes.',
        audit: 'suppression.delete_matching',
        confirmation: 'Deletes all suppressions that match.',
        isOpenToScopedKeys,
      }),
    )
    .output(DeletedSuppressions)
    .mutation(({ ctx, input }) => deleteMatchingSuppressions(ctx, input)),

  export: suppressions.export,

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/suppressions/{id}', {
        summary: 'Get a suppression',
        isOpenToScopedKeys,
      }),
    )
    .output(Suppression)
    .query(({ ctx, input }) => getSuppression(ctx, input)),

  delete: authedProcedure(ById)
    .meta(
      rest('DELETE', '/suppressions/{id}', {
        summary: 'Delete a suppression',
        description: 'The address gets mail again with the next message, unless another suppression holds.',
        audit: 'suppression.delete',
        isOpenToScopedKeys,
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteSuppression(ctx, input)),
});
