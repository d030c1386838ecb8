import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** PEM texts, as TLS servers take them. */
export type TlsFiles = { key: string; cert: string };

const YEARS = 10;
/** A certificate that expires sooner is replaced. */
const MIN_LEFT_MS = 30 * 24 * 3_600_000;

/**
 * Returns the self-signed certificate of the sandbox for localhost and 127.0.0.1. The first call makes it, in a file that other
 * programs can trust.
 */
export async function sandboxCertificate(folder: string, now: Date): Promise<TlsFiles> {
  const [keyFile, certFile] = [path.join(folder, 'tls-key.pem'), path.join(folder, 'tls-certificate.pem')];
  const [key, cert] = await Promise.all([keyFile, certFile].map(readOrNull));
  if (key && cert && isUsable({ key, cert }, now)) return { key, cert };
  const made = makeCertificate(now);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(keyFile, made.key, 0o600);
  await replaceFile(certFile, made.cert, 0o644);
  return made;
}

/** Damaged files, and those of two certificates, are replaced. */
function isUsable({ key, cert }: TlsFiles, now: Date): boolean {
  try {
    const certificate = new X509Certificate(cert);
    const isLasting = Date.parse(certificate.validTo) - now.getTime() > MIN_LEFT_MS;
    return isLasting && certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

async function readOrNull(file: string): Promise<string | null> {
  return readFile(/*turbopackIgnore: true*/ file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  await writeFile(`${file}.part`, text, { mode });
  await rename(`${file}.part`, file);
}

/** A certificate (RFC 5280) with a P-256 key. Node.js can't make one. */
function makeCertificate(now: Date): TlsFiles {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('Postroom sandbox')))));
  const until = new Date(now);
  until.setUTCFullYear(until.getUTCFullYear() + YEARS);
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    // The first byte makes the number positive.
    der(0x02, Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    sequence(ECDSA_WITH_SHA256),
    name,
    sequence(time(now), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(ALTERNATIVE_NAMES, der(0x04, sequence(...NAMES))))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey));
  const whole = sequence(content, sequence(ECDSA_WITH_SHA256), signature);
  const lines = whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ALTERNATIVE_NAMES = Buffer.from('0603551d11', 'hex');
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const NAMES = [der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1]))];

/** Years from 2050 on have four digits (RFC 5280, 4.1.2.5). */
function time(at: Date): Buffer {
  const digits = `${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  return at.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits));
}

function sequence(...parts: Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

/** A value of DER: its tag, its length and its content. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}
