import { ById } from '@/lib/wire';
import { exportProcedure, listProcedures } from '@/server/list/list-procedures';
import { authedProcedure } from '@/server/procedures/trpc';
import { FileOutput } from '@/server/rest/file';
import { restOf } from '@/server/rest/meta';
import { dnsChangeList, dnsRecordList } from './lists';
import { DnsChange, DomainDns, GetDnsZone } from './schema';
import { checkDns, getDns, getDnsZone, listDnsChanges } from './service';

const tag = 'Domains';
const rest = restOf(tag);

const changes = listProcedures(dnsChangeList, {
  procedure: authedProcedure,
  item: DnsChange,
  filters: ById,
  find: listDnsChanges,
  tag,
  description: 'What checks found different from the check before.',
  isOpenToScopedKeys: true,
});

export const dnsProcedures = {
  dns: authedProcedure(ById)
    .meta(
      rest('GET', '/domains/{id}/dns', {
        summary: 'Get the DNS records of a domain',
        description: 'What the domain should publish, and what the last check found. Domains are checked every hour.',
        isOpenToScopedKeys: true,
      }),
    )
    .output(DomainDns)
    .query(({ ctx, input }) => getDns(ctx, input)),

  exportDns: exportProcedure(dnsRecordList, {
    procedure: authedProcedure,
    input: ById,
    items: async (ctx, { id }) => (await getDns(ctx, { id })).records,
    tag,
    description: 'What the last check found, with what to publish.',
    isOpenToScopedKeys: true,
  }),

  checkDns: authedProcedure(ById)
    .meta(
      rest('POST', '/domains/{id}/dns/check', {
        summary: 'Check the DNS records of a domain',
        description:
          'Asks the resolvers and the domain’s own name servers. Takes 15 seconds at most. If the domain is being checked already, ' +
          'waits for that check.',
        audit: 'domain.check_dns',
        confirmation: null,
        isOpenToScopedKeys: true,
      }),
    )
    .output(DomainDns)
    .mutation(({ ctx, input }) => checkDns(ctx, input)),

  dnsChanges: changes.list,

  exportDnsChanges: changes.export,

  dnsZone: authedProcedure(GetDnsZone)
    .meta(
      rest('GET', '/domains/{id}/dns/zone', {
        summary: 'Get the DNS records of a domain as a zone file',
        description: 'The records to publish, in the form that DNS providers import.',
        file: 'text/dns; charset=utf-8',
        isOpenToScopedKeys: true,
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => getDnsZone(ctx, input)),
};
