import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

const VALID_DAYS = 90;

/**
 * Makes the key, which later certificates keep, and a certificate that no one trusts: Postfix and Dovecot need one to start,
 * before the agent has got one from the ACME server.
 */
export function makeCertificate({ tls_certificate: certificate, tls_key: key, hostname }) {
  if (!existsSync(key)) openssl('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-out', key);
  if (existsSync(certificate) && isPair(certificate, key)) return;
  const names = ['-subj', `/CN=${hostname}`, '-addext', `subjectAltName=DNS:${hostname}`];
  openssl('req', '-x509', '-key', key, '-days', String(VALID_DAYS), ...names, '-out', certificate);
}

function isPair(certificate, key) {
  try {
    return new X509Certificate(readFileSync(certificate)).checkPrivateKey(createPrivateKey(readFileSync(key)));
  } catch {
    return false;
  }
}

/** The files are created with mode 600. */
function openssl(...args) {
  const umask = process.umask(0o077);
  try {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } finally {
    process.umask(umask);
  }
}
