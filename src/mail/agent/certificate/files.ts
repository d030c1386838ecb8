import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import type { Installation } from '../installation';

export type Certificate = {
  /** SHA-256, as Node's TLS sockets show it. */
  fingerprint: string;
  names: string[];
  validFrom: Date;
  validTo: Date;
  /** Made by the installer, so that the services can start before there is another one. */
  isSelfSigned: boolean;
};

/** @throws if the certificate or key can't be read, or they don't belong together, as while they are being replaced */
export async function readCertificate({ certificate, key }: Installation['tls']): Promise<Certificate> {
  return parseCertificate(await readFile(certificate), await readFile(key));
}

/**
 * Replaces the certificate file in one step.
 * @param chain the certificate first, then those of its CAs (PEM)
 */
export async function replaceCertificate(path: string, chain: Buffer): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, chain, { mode: 0o600, flush: true });
  await chmod(temporary, 0o600);
  await rename(temporary, path);
}

/** @throws if it isn't a certificate of the key */
export function parseCertificate(chain: Buffer, key: Buffer): Certificate {
  const parsed = new X509Certificate(chain);
  if (!parsed.checkPrivateKey(createPrivateKey(key)))
    throw new Error('The certificate and the key don’t belong together.');
  return {
    fingerprint: parsed.fingerprint256,
    names: (parsed.subjectAltName ?? '')
      .split(', ')
      .flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : [])),
    validFrom: new Date(parsed.validFrom),
    validTo: new Date(parsed.validTo),
    isSelfSigned: parsed.checkIssued(parsed),
  };
}
