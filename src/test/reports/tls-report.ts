import { randomUUID } from 'node:crypto';

type Failure = { type?: string; sessions?: number; mx?: string; ip?: string };

export type TlsFields = {
  domain: string;
  failures?: Failure[];
  organisation?: string;
  reportId?: string;
  day?: string;
};

/** A TLS report as RFC 8460 has it. */
export function tlsReport(fields: TlsFields) {
  const { domain, failures = [], organisation = 'Far Mail', reportId = randomUUID(), day = '2026-11-20' } = fields;
  const failed = failures.reduce((sum, { sessions = 1 }) => sum + sessions, 0);
  return {
    'organization-name': organisation,
    'date-range': { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` },
    'contact-info': 'tls@far.example',
    'report-id': reportId,
    policies: [
      {
        policy: {
          'policy-type': 'sts',
          'policy-string': ['version: STSv1', 'mode: testing'],
          'policy-domain': domain,
          'mx-host': [`mx.${domain}`],
        },
        summary: { 'total-successful-session-count': 100, 'total-failure-session-count': failed },
        'failure-details': failures.map(({ type = 'certificate-expired', sessions = 1, mx, ip = '192.0.2.9' }) => ({
          'result-type': type,
          'sending-mta-ip': ip,
          'receiving-mx-hostname': mx ?? `mx.${domain}`,
          'failed-session-count': sessions,
        })),
      },
    ],
  };
}
