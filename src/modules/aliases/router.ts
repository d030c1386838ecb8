import { formatCount } from '@/lib/format';
import { MAX_EXPORT_ROWS } from '@/lib/lists';
import { ById, Confirmation } from '@/lib/wire';
import { listProcedure } from '@/server/list/list-procedures';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { FileOutput } from '@/server/rest/file';
import { restOf } from '@/server/rest/meta';
import { exportAliases } from './export';
import { importAliases } from './import/service';
import { aliasList } from './lists';
import { resolveAddress } from './resolve';
import {
  Alias,
  AliasFilters,
  CreateAlias,
  ExportAliases,
  ImportAliases,
  ImportReport,
  Resolution,
  ResolveAddress,
  UpdateAlias,
} from './schema';
import { createAlias, deleteAlias, getAlias, listAliases, updateAlias } from './service';

const tag = 'Aliases';
const rest = restOf(tag);
const record = versioned('alias', getAlias);

export const aliasesRouter = router({
  list: listProcedure(aliasList, {
    procedure: authedProcedure,
    item: Alias,
    filters: AliasFilters,
    find: listAliases,
    tag,
    isOpenToScopedKeys: true,
    errors: { 400: ['MISSING_FIELDS'] },
  }),

  create: authedProcedure(CreateAlias)
    .meta(
      rest('POST', '/aliases', {
        summary: 'Create an alias',
        description: 'Takes effect immediately.',
        status: 201,
        audit: 'alias.create',
        confirmation: null,
        isOpenToScopedKeys: true,
        errors: {
          400: ['ALIAS_CHAIN', 'TOO_MANY_DESTINATIONS'],
          403: ['DOMAIN_INACTIVE'],
          409: ['CONFLICT'],
        },
      }),
    )
    .output(Alias)
    .mutation(({ ctx, input }) => createAlias(ctx, input)),

  resolve: authedProcedure(ResolveAddress)
    .meta(
      rest('GET', '/aliases/resolve', {
        summary: 'Trace an address',
        description: 'Shows how mail to the address is routed right now, using the same function as the mail server.',
        isOpenToScopedKeys: true,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(Resolution)
    .query(({ ctx, input }) => resolveAddress(ctx, input)),

  import: authedProcedure(ImportAliases)
    .meta(
      rest('POST', '/aliases/import', {
        summary: 'Import aliases from CSV',
        description:
          'Each line is checked separately, and a line that fails does not affect the others. Runs in steps of 500 lines. With ' +
          '`dry_run`, nothing changes.',
        audit: 'alias.import',
        confirmation: null,
        isOpenToScopedKeys: true,
        errors: { 403: ['DOMAIN_INACTIVE'], 409: ['CONFLICT'] },
      }),
    )
    .output(ImportReport)
    .mutation(({ ctx, input }) => importAliases(ctx, input)),

  export: authedProcedure(ExportAliases)
    .meta(
      rest('GET', '/aliases/export', {
        summary: 'Export aliases as CSV',
        description:
          'All of them, or those that match the filters. With `domain_id`, the file has the local part of each address and ' +
          `can be imported again; without it, the whole address, and at most ${formatCount(MAX_EXPORT_ROWS)} rows.`,
        file: 'text/csv; charset=utf-8',
        isOpenToScopedKeys: true,
        errors: { 400: ['MISSING_FIELDS'] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportAliases(ctx, input)),

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/aliases/{id}', {
        versioned: record,
        summary: 'Get an alias',
        isOpenToScopedKeys: true,
      }),
    )
    .output(Alias)
    .query(({ ctx, input }) => getAlias(ctx, input)),

  update: authedProcedure(UpdateAlias)
    .meta(
      rest('PATCH', '/aliases/{id}', {
        versioned: record,
        summary: 'Update an alias',
        description: 'Changes only the supplied fields. Takes effect immediately.',
        audit: 'alias.update',
        confirmation: null,
        isOpenToScopedKeys: true,
        errors: { 400: ['ALIAS_CHAIN', 'TOO_MANY_DESTINATIONS'] },
      }),
    )
    .output(Alias)
    .mutation(({ ctx, input }) => updateAlias(ctx, input)),

  delete: authedProcedure(ById)
    .meta(
      rest('DELETE', '/aliases/{id}', {
        versioned: record,
        summary: 'Delete an alias',
        audit: 'alias.delete',
        isOpenToScopedKeys: true,
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteAlias(ctx, input)),
});
