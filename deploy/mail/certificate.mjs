import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { replaceFile } from './replace-file.mjs';

const VALID_DAYS = 90;

/**
 * Makes the key, which later certificates keep, and a certificate that no one trusts: Postfix and Dovecot need one to start,
 * before the agent has got one from the ACME server.
 */
export function makeCertificate({ tls_certificate: certificate, tls_key: key, hostname }) {
  // A crash of an earlier version could leave an empty file. Any other key may be in use.
  if (!existsSync(key) || statSync(key).size === 0)
    write(key, 'genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:prime256v1');
  if (existsSync(certificate) && isPair(certificate, key)) return;
  const names = ['-subj', `/CN=${hostname}`, '-addext', `subjectAltName=DNS:${hostname}`];
  write(certificate, 'req', '-x509', '-key', key, '-days', String(VALID_DAYS), ...names);
}

function isPair(certificate, key) {
  try {
    return new X509Certificate(readFileSync(certificate)).checkPrivateKey(createPrivateKey(readFileSync(key)));
  } catch {
    return false;
  }
}

/** Writes what openssl prints. */
function write(path, ...args) {
  const text = execFileSync('openssl', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  replaceFile(path, text, { mode: 0o600 });
}
