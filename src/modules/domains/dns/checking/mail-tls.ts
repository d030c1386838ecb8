import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls';
import { withinTime } from '@/lib/within-time';
import { escapeControls } from '@/server/dns/lookup';
import { isPublicAddress } from '@/server/outbound/address/public-address';
import type { Probes, TlsOffer } from '../records/record';

const SMTP_PORT = 25;
const TIMEOUT_MS = 5_000;
const MAX_REPLY_BYTES = 16_384;
const MAX_SHOWN = 200;
const MAX_CHAIN = 10;

type Options = { ownName: string; allowPrivateNetworks: boolean; port?: number; ca?: string };

/** Starts TLS as a server that delivers mail does, and hangs up. */
export function tlsStarter(options: Options): NonNullable<Probes['startTls']> {
  return async (address, host, signal) => {
    if (!options.allowPrivateNetworks && !isPublicAddress(address)) {
      return { outcome: 'unreachable', message: 'it is a private address' };
    }
    return withinTime(signal, TIMEOUT_MS, (ending) => startTls(address, host, options, ending));
  };
}

async function startTls(address: string, host: string, options: Options, signal: AbortSignal): Promise<TlsOffer> {
  const socket = connectTcp({ host: address, port: options.port ?? SMTP_PORT, signal });
  socket.on('error', () => {});
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    socket.destroy();
    return { outcome: 'unreachable', message: reasonOf(error) };
  }
  try {
    const refusal = await askForTls(socket, options.ownName, signal);
    if (refusal !== null) return { outcome: 'no_tls', message: refusal };
    return await shakeHands(socket, { host, ca: options.ca, signal });
  } catch (error) {
    return { outcome: 'no_tls', message: reasonOf(error) };
  } finally {
    socket.destroy();
  }
}

/** @returns why there is no TLS, null if it starts now */
async function askForTls(socket: Socket, ownName: string, signal: AbortSignal): Promise<string | null> {
  const greeting = await readReply(socket, signal);
  if (!isPositive(greeting)) return `it greets with “${lastOf(greeting)}”`;
  socket.write(`EHLO ${ownName}\r\n`);
  const extensions = await readReply(socket, signal);
  if (!extensions.some((line) => /^250[ -]STARTTLS\s*$/i.test(line))) return 'STARTTLS is not among its extensions';
  socket.write('STARTTLS\r\n');
  const started = await readReply(socket, signal);
  return isPositive(started) ? null : `it answers STARTTLS with “${lastOf(started)}”`;
}

function lastOf(reply: string[]): string {
  return escapeControls(reply.at(-1) ?? '');
}

async function readReply(socket: Socket, signal: AbortSignal): Promise<string[]> {
  let text = '';
  while (text.length < MAX_REPLY_BYTES) {
    const chunk: Buffer | null = socket.read();
    text += chunk?.toString('latin1') ?? '';
    const lines = text.split('\r\n').slice(0, -1);
    if (/^\d{3}( |$)/.test(lines.at(-1) ?? '')) return lines.map((line) => line.slice(0, MAX_SHOWN));
    if (chunk) continue;
    if (socket.readableEnded || socket.destroyed) throw new Error('the connection was closed');
    await once(socket, 'readable', { signal });
  }
  throw new Error('its reply is too long');
}

function isPositive(reply: string[]): boolean {
  return reply.at(-1)?.startsWith('2') ?? false;
}

async function shakeHands(
  socket: Socket,
  { host, ca, signal }: { host: string; ca: string | undefined; signal: AbortSignal },
): Promise<TlsOffer> {
  // The certificate is looked at even if it is not valid.
  const secured = connectTls({ socket, servername: host, rejectUnauthorized: false, ca });
  secured.on('error', () => {});
  try {
    await once(secured, 'secureConnect', { signal });
    const certificate = secured.getPeerCertificate(true);
    const expiresAt = new Date(certificate.valid_to);
    return {
      outcome: 'certificate',
      chain: chainOf(certificate),
      expiresAt: Number.isNaN(expiresAt.getTime()) ? null : expiresAt,
      problem: secured.authorized ? null : problemOf(secured.authorizationError, host),
    };
  } finally {
    secured.destroy();
  }
}

function chainOf(certificate: DetailedPeerCertificate): Buffer[] {
  const chain: Buffer[] = [];
  for (let next = certificate; chain.length < MAX_CHAIN; next = next.issuerCertificate) {
    chain.push(next.raw);
    // The last one, a root, is its own issuer.
    if (!next.issuerCertificate || next.issuerCertificate === next) break;
  }
  return chain;
}

/** Node types this as an Error; it is the error's code, except for a wrong name. */
function problemOf(error: Error | string, host: string): string {
  const code = typeof error === 'string' ? error : ((error as NodeJS.ErrnoException).code ?? '');
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `it is not for ${host}.`;
  if (code === 'CERT_HAS_EXPIRED') return 'it has expired.';
  if (code === 'CERT_NOT_YET_VALID') return 'it is not valid yet.';
  return 'no known authority has issued it, or its chain is incomplete.';
}

function reasonOf(error: unknown): string {
  const { code, name, message } = error as NodeJS.ErrnoException;
  if (name === 'AbortError' || name === 'TimeoutError') return 'no answer in time';
  return code === 'ECONNREFUSED' ? 'connection refused' : (code ?? message);
}
