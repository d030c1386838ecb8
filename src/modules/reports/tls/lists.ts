import type { List, ListInput } from '@/lib/lists';
import type { ReportFilters } from '../schema';
import type { TlsReportSummary } from './schema';

export const tlsReportList = {
  what: 'reports',
  fullName: 'TLS reports',
  path: '/tls/reports',
  sorts: ['begin'],
  file: 'tls-reports',
  csv: [
    'id',
    'begin',
    'end',
    'organisation',
    'sessions',
    'failed_sessions',
    'domain_id',
    'contact',
    'report_id',
    'source',
    'received_at',
  ],
} satisfies List<TlsReportSummary>;
export type ListTlsReports = ListInput<typeof tlsReportList, typeof ReportFilters>;
