import type { List, ListInput } from '@/lib/lists';
import type { ReportFilters } from '../schema';
import type { DmarcReportSummary } from './schema';

export const dmarcReportList = {
  what: 'reports',
  fullName: 'DMARC reports',
  path: '/dmarc/reports',
  sorts: ['begin'],
  file: 'dmarc-reports',
  csv: [
    'id',
    'begin',
    'end',
    'organisation',
    'messages',
    'aligned',
    'failed',
    'domain_id',
    'email',
    'report_id',
    'source',
    'received_at',
  ],
} satisfies List<DmarcReportSummary>;
export type ListDmarcReports = ListInput<typeof dmarcReportList, typeof ReportFilters>;
