import type { List } from '@/lib/lists';
import type { DmarcReportSummary } from './schema';

export const dmarcReportList = {
  what: 'reports',
  fullName: 'DMARC reports',
  path: '/dmarc/reports',
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
