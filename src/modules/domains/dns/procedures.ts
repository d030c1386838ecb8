import { ById } from '@/lib/wire';
import { EXPORT_DESCRIPTION } from '@/server/list/export-list';
import { authedProcedure } from '@/server/procedures/trpc';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import { exportDns, exportDnsChanges } from './export';
import { DnsChangePage, DomainDns, ExportDns, ExportDnsChanges, GetDnsZone, ListDnsChanges } from './schema';
import { checkDns, getDns, getDnsZone, listDnsChanges } from './service';

const tag = 'Domains';

export const dnsProcedures = {
  dns: authedProcedure(ById)
    .meta(
      rest('GET', '/domains/{id}/dns', {
        tag,
        summary: 'Get the DNS records of a domain',
        description: 'What the domain should publish, and what the last check found. Domains are checked every hour.',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(DomainDns)
    .query(({ ctx, input }) => getDns(ctx, input)),

  exportDns: authedProcedure(ExportDns)
    .meta(
      rest('GET', '/domains/{id}/dns/export', {
        tag,
        summary: 'Export the DNS records of a domain as CSV',
        description: 'What the last check found, with what to publish.',
        file: 'text/csv; charset=utf-8',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportDns(ctx, input)),

  checkDns: authedProcedure(ById)
    .meta(
      rest('POST', '/domains/{id}/dns/check', {
        tag,
        summary: 'Check the DNS records of a domain',
        description:
          'Asks the resolvers and the domain’s own name servers. Takes 15 seconds at most. If the domain is being checked already, ' +
          'waits for that check.',
        audit: 'domain.check_dns',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(DomainDns)
    .mutation(({ ctx, input }) => checkDns(ctx, input)),

  dnsChanges: authedProcedure(ListDnsChanges)
    .meta(
      rest('GET', '/domains/{id}/dns/history', {
        tag,
        summary: 'List changes of the DNS records of a domain',
        description: 'What checks found different from the check before.',
        isPaginated: true,
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(DnsChangePage)
    .query(({ ctx, input }) => listDnsChanges(ctx, input)),

  exportDnsChanges: authedProcedure(ExportDnsChanges)
    .meta(
      rest('GET', '/domains/{id}/dns/history/export', {
        tag,
        summary: 'Export changes of the DNS records of a domain as CSV',
        description: EXPORT_DESCRIPTION,
        file: 'text/csv; charset=utf-8',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportDnsChanges(ctx, input)),

  dnsZone: authedProcedure(GetDnsZone)
    .meta(
      rest('GET', '/domains/{id}/dns/zone', {
        tag,
        summary: 'Get the DNS records of a domain as a zone file',
        description: 'The records to publish, in the form that DNS providers import.',
        file: 'text/dns; charset=utf-8',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => getDnsZone(ctx, input)),
};
