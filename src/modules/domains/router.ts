import { ById, Confirmation } from '@/lib/wire';
import { EXPORT_DESCRIPTION } from '@/server/list/export-list';
import { adminProcedure, authedProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import { dkimProcedures } from './dkim/procedures';
import { dnsProcedures } from './dns/procedures';
import { exportDomains } from './export';
import { CreateDomain, Domain, DomainPage, ExportDomains, ListDomains, UpdateDomain } from './schema';
import { createDomain, deleteDomain, getDomain, listDomains, updateDomain } from './service';

const tag = 'Domains';
const record = versioned('domain', getDomain);

export const domainsRouter = router({
  list: authedProcedure(ListDomains)
    .meta(rest('GET', '/domains', { tag, summary: 'List domains', isPaginated: true, isOpenToScopedKeys: true }))
    .output(DomainPage)
    .query(({ ctx, input }) => listDomains(ctx, input)),

  create: adminProcedure(CreateDomain)
    .meta(
      rest('POST', '/domains', {
        tag,
        summary: 'Add a domain',
        description: 'The domain gets an active DKIM key.',
        status: 201,
        audit: 'domain.create',
        errors: { 409: ['DOMAIN_EXISTS'] },
      }),
    )
    .output(Domain)
    .mutation(({ ctx, input }) => createDomain(ctx, input)),

  export: authedProcedure(ExportDomains)
    .meta(
      rest('GET', '/domains/export', {
        tag,
        summary: 'Export domains as CSV',
        description: EXPORT_DESCRIPTION,
        file: 'text/csv; charset=utf-8',
        isOpenToScopedKeys: true,
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportDomains(ctx, input)),

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/domains/{id}', {
        tag,
        versioned: record,
        summary: 'Get a domain',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Domain)
    .query(({ ctx, input }) => getDomain(ctx, input)),

  update: adminProcedure(UpdateDomain)
    .meta(
      rest('PATCH', '/domains/{id}', {
        tag,
        versioned: record,
        summary: 'Update a domain',
        description: 'Changes only the supplied fields. A domain can’t be renamed.',
        audit: 'domain.update',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(Domain)
    .mutation(({ ctx, input }) => updateDomain(ctx, input)),

  delete: adminProcedure(ById)
    .meta(
      rest('DELETE', '/domains/{id}', {
        tag,
        versioned: record,
        summary: 'Delete a domain',
        description: 'Its mailboxes and aliases must be deleted first. Its webhooks are deleted with it.',
        audit: 'domain.delete',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteDomain(ctx, input)),

  ...dkimProcedures,
  ...dnsProcedures,
});
