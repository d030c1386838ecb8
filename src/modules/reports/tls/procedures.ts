import { ById } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { authedProcedure } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { GetDomainResults, ReportFilters, UploadReport } from '../schema';
import { tlsReportList } from './lists';
import { DomainTls, TlsReport, TlsReportSummary, UploadedTlsReport } from './schema';
import { getDomainTls, getTlsReport, listTlsReports, uploadTlsReport } from './service';

const tag = 'Reports';
const rest = restOf(tag);

const reports = listProcedures(tlsReportList, {
  procedure: authedProcedure,
  item: TlsReportSummary,
  filters: ReportFilters,
  find: listTlsReports,
  tag,
  isOpenToScopedKeys: true,
});

export const tlsProcedures = {
  domainTls: authedProcedure(GetDomainResults)
    .meta(
      rest('GET', '/domains/{id}/tls', {
        summary: 'Get the TLS results of a domain',
        description: 'How often other mail servers failed to reach yours over TLS, by their reports, and why.',
        isOpenToScopedKeys: true,
      }),
    )
    .output(DomainTls)
    .query(({ ctx, input }) => getDomainTls(ctx, input)),

  tlsReports: reports.list,

  exportTlsReports: reports.export,

  tlsReport: authedProcedure(ById)
    .meta(
      rest('GET', '/tls/reports/{id}', {
        summary: 'Get a TLS report',
        isOpenToScopedKeys: true,
      }),
    )
    .output(TlsReport)
    .query(({ ctx, input }) => getTlsReport(ctx, input)),

  uploadTlsReport: authedProcedure(UploadReport)
    .meta(
      rest('POST', '/tls/reports', {
        summary: 'Upload a TLS report',
        description: 'A report that reached you another way: JSON, plain or in a gzip or zip file.',
        audit: 'tls_report.upload',
        confirmation: 'Adds the report to the statistics of its domains.',
        isOpenToScopedKeys: true,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(UploadedTlsReport)
    .mutation(({ ctx, input }) => uploadTlsReport(ctx, input)),
};
