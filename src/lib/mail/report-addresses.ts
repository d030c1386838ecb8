/** Mail to these addresses of a managed domain is read as reports. The SQL function `mta.is_report_address` has them too. */
export const REPORT_LOCAL_PARTS = { dmarc: 'dmarc-reports', tls: 'tls-reports' } as const;
