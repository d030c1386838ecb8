import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { adminProcedure, authedProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { dkimProcedures } from './dkim/procedures';
import { dnsProcedures } from './dns/procedures';
import { domainList, domainStateList } from './lists';
import { CreateDomain, Domain, DomainFilters, UpdateDomain } from './schema';
import { createDomain, deleteDomain, getDomain, listDomains, updateDomain } from './service';
import { DomainState, DomainStateFilters } from './states/schema';
import { listDomainStates } from './states/service';

const tag = 'Domains';
const rest = restOf(tag);
const record = versioned('domain', getDomain);

const domains = listProcedures(domainList, {
  procedure: authedProcedure,
  item: Domain,
  filters: DomainFilters,
  find: listDomains,
  tag,
  isOpenToScopedKeys: true,
});

const states = listProcedures(domainStateList, {
  procedure: authedProcedure,
  item: DomainState,
  filters: DomainStateFilters,
  find: listDomainStates,
  tag,
  isOpenToScopedKeys: true,
});

export const domainsRouter = router({
  list: domains.list,

  states: states.list,

  exportStates: states.export,

  create: adminProcedure(CreateDomain)
    .meta(
      rest('POST', '/domains', {
        summary: 'Add a domain',
        description:
          'The domain gets an active DKIM key. The call returns once the mail server has it, after 3 seconds at the latest, ' +
          'so that the first message is signed.',
        status: 201,
        audit: 'domain.create',
        confirmation: null,
        errors: { 409: ['DOMAIN_EXISTS'] },
      }),
    )
    .output(Domain)
    .mutation(({ ctx, input }) => createDomain(ctx, input)),

  export: domains.export,

  get: authedProcedure(ById)
    .meta(
      rest('GET', '/domains/{id}', {
        versioned: record,
        summary: 'Get a domain',
        isOpenToScopedKeys: true,
      }),
    )
    .output(Domain)
    .query(({ ctx, input }) => getDomain(ctx, input)),

  update: adminProcedure(UpdateDomain)
    .meta(
      rest('PATCH', '/domains/{id}', {
        versioned: record,
        summary: 'Update a domain',
        description: 'Changes only the supplied fields. A domain can’t be renamed.',
        audit: 'domain.update',
        confirmation:
          'Changes the state or the limits of a domain. An inactive domain neither sends nor receives mail.',
        isOpenToScopedKeys: true,
      }),
    )
    .output(Domain)
    .mutation(({ ctx, input }) => updateDomain(ctx, input)),

  delete: adminProcedure(ById)
    .meta(
      rest('DELETE', '/domains/{id}', {
        versioned: record,
        summary: 'Delete a domain',
        description:
          'Its mailboxes and aliases must be deleted first. Its webhooks, templates and suppressions are deleted with it.',
        audit: 'domain.delete',
        confirmation: 'Deletes the domain with everything in it.',
        isOpenToScopedKeys: true,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteDomain(ctx, input)),

  ...dkimProcedures,
  ...dnsProcedures,
});
