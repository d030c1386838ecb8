import { z } from 'zod';
import { Id, Timestamp } from '@/lib/wire';
import { Count, DroppedReports, LeftOut, ReportPeriod, reportArrival, uploadedReport } from '../schema';

const failure = {
  mx_host: z.string().nullable(),
  result_type: z.string().meta({ description: 'As RFC 8460 names it', examples: ['certificate-expired'] }),
  meaning: z.string(),
  sessions: Count,
  sending_ip: z.string().nullable(),
  receiving_ip: z.string().nullable(),
};

const TlsFailure = z
  .object({
    ...failure,
    organisation: z.string(),
    first_seen: Timestamp.meta({ description: 'Start of the first report in the period that has it' }),
    last_seen: Timestamp.meta({ description: 'End of the last report in the period that has it' }),
  })
  .meta({ id: 'TlsFailure' });
export type TlsFailure = z.infer<typeof TlsFailure>;

export const DomainTls = z
  .object({
    period: ReportPeriod,
    start: Timestamp,
    end: Timestamp,
    totals: z.object({ reports: Count, organisations: Count, sessions: Count, failed_sessions: Count }),
    failures: z.array(TlsFailure).meta({ description: 'Most sessions first, at most 200' }),
    failures_total: Count,
    series: z.array(
      z.object({ at: Timestamp.meta({ description: 'Start of a UTC day' }), sessions: Count, failed_sessions: Count }),
    ),
    dropped: DroppedReports,
  })
  .meta({ id: 'DomainTls' });
export type DomainTls = z.infer<typeof DomainTls>;

const summary = {
  id: Id,
  domain_id: Id,
  organisation: z.string().meta({ description: 'As the report names its sender' }),
  contact: z.string(),
  report_id: z.string().meta({ description: 'The sender’s ID of the report' }),
  begin: Timestamp,
  end: Timestamp,
  sessions: Count,
  failed_sessions: Count,
  ...reportArrival,
};

export const TlsReportSummary = z.object(summary).meta({ id: 'TlsReportSummary' });
export type TlsReportSummary = z.infer<typeof TlsReportSummary>;

export const TlsReport = z
  .object({
    ...summary,
    policies: z.array(
      z.object({
        type: z.string().meta({ examples: ['sts', 'tlsa', 'no-policy-found'] }),
        strings: z.array(z.string()),
        mx_hosts: z.array(z.string()),
        sessions: Count,
        failed_sessions: Count,
      }),
    ),
    failures: z.array(
      z.object({
        ...failure,
        receiving_helo: z.string().nullable(),
        reason_code: z.string().nullable(),
        additional_information: z.string().nullable(),
      }),
    ),
    left_out: LeftOut,
    truncated: z.boolean().meta({ description: 'Whether the report had more failures than are stored' }),
  })
  .meta({ id: 'TlsReport' });
export type TlsReport = z.infer<typeof TlsReport>;

export const UploadedTlsReport = uploadedReport(TlsReportSummary).meta({ id: 'UploadedTlsReport' });
export type UploadedTlsReport = z.infer<typeof UploadedTlsReport>;
