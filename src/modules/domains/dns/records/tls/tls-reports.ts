import { type DomainFacts, type ExpectedRecord, mismatch, multiple, ok, tagsOf } from '../record';

const REPORT_ADDRESS = /^(mailto:[^@\s,;]+@[^@\s,;]+|https:\/\/[^\s,;]+)$/i;

/** TLS reports (RFC 8460): where other servers report that they could not deliver over TLS. */
export function tlsReportRecord({ name }: DomainFacts): ExpectedRecord {
  const expected = `v=TLSRPTv1; rua=mailto:tls-reports@${name}`;
  return {
    purpose: 'tls_rpt',
    type: 'TXT',
    name: `_smtp._tls.${name}`,
    expected,
    required: false,
    version: 'TLSRPTv1',
    concerns: (value) => /^v\s*=\s*TLSRPTv1\s*(;|$)/.test(value),
    missing: {
      severity: 'info',
      message: 'With this record, other servers report when they can’t deliver to you over TLS.',
    },
    judge(values) {
      if (values.length > 1) return { ...multiple(values.length, 'TLS report'), severity: 'warning' };
      const addresses =
        tagsOf(values[0] ?? '')
          ?.get('rua')
          ?.split(',') ?? [];
      if (addresses.length === 0 || !addresses.every((address) => REPORT_ADDRESS.test(address.trim()))) {
        return mismatch('warning', 'The TLS report record has no valid address.', `Replace it with ${expected}`);
      }
      return ok('Other servers report when they can’t deliver to you over TLS.');
    },
  };
}
