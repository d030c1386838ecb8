import { ById } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { authedProcedure } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { GetDomainResults, ReportFilters, UploadReport } from '../schema';
import { dmarcReportList } from './lists';
import { DmarcReport, DmarcReportSummary, DomainDmarc, UploadedDmarcReport } from './schema';
import { getDmarcReport, getDomainDmarc, listDmarcReports, uploadDmarcReport } from './service';

const tag = 'Reports';
const rest = restOf(tag);

const reports = listProcedures(dmarcReportList, {
  procedure: authedProcedure,
  item: DmarcReportSummary,
  filters: ReportFilters,
  find: listDmarcReports,
  tag,
  isOpenToScopedKeys: true,
});

export const dmarcProcedures = {
  domainDmarc: authedProcedure(GetDomainResults)
    .meta(
      rest('GET', '/domains/{id}/dmarc', {
        summary: 'Get the DMARC results of a domain',
        description:
          'Who sends with the domain’s name, by the reports of receiving servers, and what a stricter policy would do. The recommendation uses the last 30 days, whatever the period.',
        isOpenToScopedKeys: true,
      }),
    )
    .output(DomainDmarc)
    .query(({ ctx, input }) => getDomainDmarc(ctx, input)),

  dmarcReports: reports.list,

  exportDmarcReports: reports.export,

  dmarcReport: authedProcedure(ById)
    .meta(
      rest('GET', '/dmarc/reports/{id}', {
        summary: 'Get a DMARC report',
        isOpenToScopedKeys: true,
      }),
    )
    .output(DmarcReport)
    .query(({ ctx, input }) => getDmarcReport(ctx, input)),

  uploadDmarcReport: authedProcedure(UploadReport)
    .meta(
      rest('POST', '/dmarc/reports', {
        summary: 'Upload a DMARC report',
        description: 'A report that reached you another way: XML, plain or in a gzip or zip file.',
        audit: 'dmarc_report.upload',
        confirmation: 'Adds the report to the statistics of its domains.',
        isOpenToScopedKeys: true,
        errors: { 403: ['API_KEY_DOMAIN_SCOPE'], 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(UploadedDmarcReport)
    .mutation(({ ctx, input }) => uploadDmarcReport(ctx, input)),
};
