import { ById } from '@/lib/wire';
import { EXPORT_DESCRIPTION } from '@/server/list/export-list';
import { authedProcedure } from '@/server/procedures/trpc';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import { UploadReport } from '../schema';
import { exportTlsReports } from './export';
import {
  DomainTls,
  ExportTlsReports,
  GetDomainTls,
  ListTlsReports,
  TlsReport,
  TlsReportPage,
  UploadedTlsReport,
} from './schema';
import { getDomainTls, getTlsReport, listTlsReports, uploadTlsReport } from './service';

const tag = 'Reports';

export const tlsProcedures = {
  domainTls: authedProcedure(GetDomainTls)
    .meta(
      rest('GET', '/domains/{id}/tls', {
        tag,
        summary: 'Get the TLS results of a domain',
        description: 'How often other mail servers failed to reach yours over TLS, by their reports, and why.',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(DomainTls)
    .query(({ ctx, input }) => getDomainTls(ctx, input)),

  tlsReports: authedProcedure(ListTlsReports)
    .meta(
      rest('GET', '/tls/reports', {
        tag,
        summary: 'List TLS reports',
        isPaginated: true,
        isOpenToScopedKeys: true,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(TlsReportPage)
    .query(({ ctx, input }) => listTlsReports(ctx, input)),

  exportTlsReports: authedProcedure(ExportTlsReports)
    .meta(
      rest('GET', '/tls/reports/export', {
        tag,
        summary: 'Export TLS reports as CSV',
        description: EXPORT_DESCRIPTION,
        file: 'text/csv; charset=utf-8',
        isOpenToScopedKeys: true,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportTlsReports(ctx, input)),

  tlsReport: authedProcedure(ById)
    .meta(
      rest('GET', '/tls/reports/{id}', {
        tag,
        summary: 'Get a TLS report',
        isOpenToScopedKeys: true,
        errors: { 404: ['NOT_FOUND'] },
      }),
    )
    .output(TlsReport)
    .query(({ ctx, input }) => getTlsReport(ctx, input)),

  uploadTlsReport: authedProcedure(UploadReport)
    .meta(
      rest('POST', '/tls/reports', {
        tag,
        summary: 'Upload a TLS report',
        description: 'A report that reached you another way: JSON, plain or in a gzip or zip file.',
        audit: 'tls_report.upload',
        isOpenToScopedKeys: true,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(UploadedTlsReport)
    .mutation(({ ctx, input }) => uploadTlsReport(ctx, input)),
};
