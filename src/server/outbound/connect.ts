import { isIP } from 'node:net';
import {
  type ConnectionOptions,
  checkServerIdentity,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { isPublicAddress } from './address/public-address';
import type { OutboundTarget } from './address/target';
import { OutboundFailure, socketFailure } from './failure';

type ConnectOptions = {
  allowPrivateNetworks: boolean;
  connect: (options: ConnectionOptions) => TLSSocket;
  ca: string | undefined;
  /** Called with the peer's address as soon as TCP is connected. */
  onReached: (address: string) => void;
};

/**
 * Returns the addresses that are allowed. A host with others as well is reached at these: behind DNS64, each name with an IPv4
 * address has one for NAT64, too. @throws OutboundFailure `blocked_address` if none is allowed, or `dns` for no address
 */
export function checkAddresses(addresses: string[], allowPrivateNetworks: boolean): string[] {
  if (addresses.length === 0) throw new OutboundFailure('dns', 'The host name has no address.');
  const isAllowed = (address: string) => isIP(address) !== 0 && (allowPrivateNetworks || isPublicAddress(address));
  const allowed = new Set(addresses.filter(isAllowed));
  if (allowed.size === 0) throw blocked();
  return [...allowed];
}

/**
 * Opens a TLS connection with a verified certificate to the first checked address that accepts one. Rejects with an
 * OutboundFailure, or with the signal's reason if it aborts.
 */
export async function connectToFirst(
  addresses: string[],
  target: OutboundTarget,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const tried = addresses.slice(0, MAX_ADDRESSES_TRIED);
  for (const [index, address] of tried.entries()) {
    const patienceMs = index < tried.length - 1 ? PATIENCE_MS : null;
    const socket = await open(address, target, { ...options, patienceMs }, signal);
    if (socket) return socket;
  }
  throw new OutboundFailure('connect', "Connection refused, or the endpoint's network is unreachable.");
}

const MAX_ADDRESSES_TRIED = 6;
// Time for TCP to connect if there is another address to try.
const PATIENCE_MS = 2_000;

/** Null if TCP did not connect. */
function open(
  address: string,
  target: OutboundTarget,
  options: ConnectOptions & { patienceMs: number | null },
  signal: AbortSignal,
): Promise<TLSSocket | null> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = options.connect(connectionOptions(address, target, options.ca));
    let isReached = false;

    const give = (connected: TLSSocket | null) => {
      leave();
      if (!connected) socket.destroy();
      resolve(connected);
    };
    const fail = (reason: unknown) => {
      leave();
      socket.destroy();
      reject(reason);
    };
    const leave = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('connect', onConnect).off('secureConnect', onSecure).off('error', onError).off('close', onClose);
      socket.on('error', ignore);
    };
    const timer = options.patienceMs === null ? undefined : setTimeout(() => give(null), options.patienceMs);
    const onConnect = () => {
      clearTimeout(timer);
      isReached = true;
      const peer = socket.remoteAddress;
      options.onReached(peer ?? address);
      if (!peer) return fail(closedDuringTls());
      if (!options.allowPrivateNetworks && !isPublicAddress(peer)) fail(blocked());
    };
    const onSecure = () => {
      if (!isReached) onConnect();
      if (!socket.destroyed) give(socket);
    };
    const onError = (error: NodeJS.ErrnoException) => (isReached ? fail(handshakeFailure(error)) : give(null));
    const onClose = () => onError(new Error('closed'));
    const onAbort = () => fail(signal.reason);

    socket.on('connect', onConnect).on('secureConnect', onSecure).on('error', onError).on('close', onClose);
    signal.addEventListener('abort', onAbort);
  });
}

function ignore() {}

// No proxy, agent or second lookup: the host is the checked literal. The name is for SNI and the certificate.
function connectionOptions(address: string, target: OutboundTarget, ca: string | undefined): ConnectionOptions {
  const { hostname, port } = target;
  return {
    host: address,
    port,
    lookup: (_hostname, _options, done) => done(new Error('unexpected second DNS lookup'), ''),
    servername: isIP(hostname) ? '' : hostname,
    checkServerIdentity: (_servername, certificate) => checkServerIdentity(hostname, certificate),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    secureContext: contextOf(ca),
  };
}

let last: { ca: string | undefined; context: SecureContext } | undefined;

/** Made once, since reading the authorities takes longer than the rest of a handshake. */
function contextOf(ca: string | undefined): SecureContext {
  if (!last || last.ca !== ca) last = { ca, context: createSecureContext({ minVersion: 'TLSv1.2', ca }) };
  return last.context;
}

function handshakeFailure(error: NodeJS.ErrnoException): OutboundFailure {
  const failure = socketFailure(error);
  return failure.reason === 'tls' ? failure : closedDuringTls();
}

function closedDuringTls(): OutboundFailure {
  return new OutboundFailure('tls', 'The endpoint closed the connection during the TLS handshake.');
}

function blocked(): OutboundFailure {
  return new OutboundFailure('blocked_address', 'The host has a private or reserved address, which is not allowed.');
}
