import { ById, Confirmation } from '@/lib/wire';
import { EXPORT_DESCRIPTION } from '@/server/list/export-list';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import {
  CreateSuppression,
  ExportSuppressions,
  ImportSuppressions,
  ListSuppressions,
  Suppression,
  SuppressionImportReport,
  SuppressionPage,
} from './schema';
import { createSuppression, deleteSuppression, exportSuppressions, getSuppression, listSuppressions } from './service';
import { importSuppressions } from './transfer';

const tag = 'Suppressions';
const isOpenToScopedKeys = true;

export const suppressionsRouter = router({
  list: authedProcedure(ListSuppressions)
    .meta(
      rest('GET', '/suppressions', {
        tag,
        summary: 'List suppressions',
        description: 'Domain admins and scoped keys see those of their domains only, not those of all domains.',
        isPaginated: true,
        isOpenToScopedKeys,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(SuppressionPage)
    .query(({ ctx, input }) => listSuppressions(ctx, input)),

  create: authedProcedure(CreateSuppression)
    .meta(
      rest('POST', '/suppressions', {
        tag,
        summary: 'Suppress an address',
        description: 'Takes effect with the next message. A suppression of all domains requires the role admin.',
        status: 201,
        audit: 'suppression.create',
        isOpenToScopedKeys,
        errors: {
          403: ['API_KEY_DOMAIN_SCOPE', 'DOMAIN_INACTIVE'],
          404: ['DOMAIN_NOT_FOUND'],
          409: ['CONFLICT'],
        },
      }),
    )
    .output(Suppression)
    .mutation(({ ctx, input }) => createSuppression(ctx, input)),

  import: authedProcedure(ImportSuppressions)
    .meta(
      rest('POST', '/suppressions/import', {
        tag,
        summary: 'Import suppressions from CSV',
        description:
          'Each line is checked separately, and a line that fails does not affect the others. With `dry_run`, nothing changes.',
        audit: 'suppression.import',
        isOpenToScopedKeys,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE', 'DOMAIN_INACTIVE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(SuppressionImportReport)
    .mutation(({ ctx, input }) => importSuppressions(ctx, input)),

  export: authedProcedure(ExportSuppressions)
    .meta(
      rest('GET', '/suppressions/export', {
        tag,
        summary: 'Export suppressions as CSV',
        description: `The file can be imported again. ${EXPORT_DESCRIPTION}`,
        file: 'text/csv; charset=utf-8',
        isOpenToScopedKeys,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportSuppressions(ctx, input)),

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/suppressions/{id}', {
        tag,
        summary: 'Get a suppression',
        isOpenToScopedKeys,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Suppression)
    .query(({ ctx, input }) => getSuppression(ctx, input)),

  delete: authedProcedure(ById)
    .meta(
      rest('DELETE', '/suppressions/{id}', {
        tag,
        summary: 'Delete a suppression',
        description: 'The address gets mail again with the next message, unless another suppression holds.',
        audit: 'suppression.delete',
        isOpenToScopedKeys,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteSuppression(ctx, input)),
});
