import type { List } from '@/lib/lists';
import type { TlsReportSummary } from './schema';

export const tlsReportList = {
  what: 'reports',
  fullName: 'TLS reports',
  path: '/tls/reports',
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
