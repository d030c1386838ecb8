/** The result types of RFC 8460, section 4.3, in plain words. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['starttls-not-supported', 'The mail server did not offer TLS.'],
  ['certificate-host-mismatch', 'The certificate is not for the name of the mail server.'],
  ['certificate-expired', 'The certificate has expired.'],
  ['certificate-not-trusted', 'The certificate was not issued by a certificate authority that the sender trusts.'],
  ['validation-failure', 'The TLS connection failed for another reason.'],
  ['tlsa-invalid', 'No TLSA record matches the certificate.'],
  ['dnssec-invalid', 'The DNSSEC signatures of the records are invalid.'],
  ['dane-required', 'The sender requires DANE, but there are no valid TLSA records.'],
  ['sts-policy-fetch-error', 'The sender could not fetch the MTA-STS policy.'],
  ['sts-policy-invalid', 'The MTA-STS policy is invalid.'],
  ['sts-webpki-invalid', 'The MTA-STS policy can’t be fetched, because the certificate of its web server is invalid.'],
]);

export function meaningOf(resultType: string): string {
  return MEANINGS.get(resultType) ?? 'The sender reports a failure of another kind.';
}
