/** Mail to these addresses of a managed domain is read as reports. The SQL functions mta.resolve and mta.report_transport name them too. */
export const REPORT_LOCAL_PARTS = { dmarc: 'dmarc-reports', tls: 'tls-reports' } as const;
