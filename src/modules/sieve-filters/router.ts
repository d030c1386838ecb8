import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { sieveFilterList } from './lists';
import {
  CreateSieveFilter,
  SieveFilter,
  SieveFilterFilters,
  SieveVerdict,
  UpdateSieveFilter,
  ValidateSieve,
} from './schema';
import {
  createSieveFilter,
  deleteSieveFilter,
  getSieveFilter,
  listSieveFilters,
  updateSieveFilter,
  validateSieve,
} from './service';

const tag = 'Sieve filters';
const rest = restOf(tag);
const record = versioned('sieve_filter', getSieveFilter);
const isOpenToScopedKeys = true;

const filters = listProcedures(sieveFilterList, {
  procedure: authedProcedure,
  item: SieveFilter,
  filters: SieveFilterFilters,
  find: listSieveFilters,
  tag,
  description: 'Domain admins and scoped keys see the filters of their domains and mailboxes only, not global ones.',
  isOpenToScopedKeys,
});

export const sieveFiltersRouter = router({
  list: filters.list,

  create: authedProcedure(CreateSieveFilter)
    .meta(
      rest('POST', '/sieve-filters', {
        summary: 'Create a Sieve filter',
        description: 'The mail server compiles the script first. The filter takes effect with the next message.',
        status: 201,
        audit: 'sieve_filter.create',
        confirmation: 'Filters incoming mail: of all mailboxes, if its scope is global.',
        isOpenToScopedKeys,
        errors: { 403: ['DOMAIN_INACTIVE'], 404: ['NOT_FOUND'], 409: ['CONFLICT'], 503: ['MAIL_STACK_UNAVAILABLE'] },
      }),
    )
    .output(SieveFilter)
    .mutation(({ ctx, input }) => createSieveFilter(ctx, input)),

  validate: authedProcedure(ValidateSieve)
    .meta(
      rest('POST', '/sieve-filters/validate', {
        summary: 'Check a Sieve script',
        description: 'Compiles the script on the mail server, with its configuration. Nothing is saved.',
        audit: 'sieve_filter.validate',
        confirmation: null,
        isReading: true,
        isOpenToScopedKeys,
        errors: { 503: ['MAIL_STACK_UNAVAILABLE'] },
      }),
    )
    .output(SieveVerdict)
    .mutation(({ ctx, input }) => validateSieve(ctx, input)),

  export: filters.export,

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/sieve-filters/{id}', {
        versioned: record,
        summary: 'Get a Sieve filter',
        isOpenToScopedKeys,
      }),
    )
    .output(SieveFilter)
    .query(({ ctx, input }) => getSieveFilter(ctx, input)),

  update: authedProcedure(UpdateSieveFilter)
    .meta(
      rest('PATCH', '/sieve-filters/{id}', {
        versioned: record,
        summary: 'Update a Sieve filter',
        description:
          'Changes only the supplied fields. A changed script is compiled first; other changes don’t need the mail server.',
        audit: 'sieve_filter.update',
        confirmation: 'Filters incoming mail: of all mailboxes, if its scope is global.',
        isOpenToScopedKeys,
        errors: { 409: ['CONFLICT'], 503: ['MAIL_STACK_UNAVAILABLE'] },
      }),
    )
    .output(SieveFilter)
    .mutation(({ ctx, input }) => updateSieveFilter(ctx, input)),

  delete: authedProcedure(ById)
    .meta(
      rest('DELETE', '/sieve-filters/{id}', {
        versioned: record,
        summary: 'Delete a Sieve filter',
        audit: 'sieve_filter.delete',
        isOpenToScopedKeys,
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteSieveFilter(ctx, input)),
});
