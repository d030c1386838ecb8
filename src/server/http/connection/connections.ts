import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../client-address';

export type ConnectionLimits = {
  /** Open connections of one client address. Trusted proxies have no limit, because they carry everybody's. */
  perAddress: number;
  /** How long a client may take to read one piece of a response. */
  stallMs: number;
  checkIntervalMs: number;
};

const LIMITS: ConnectionLimits = { perAddress: 500, stallMs: 60_000, checkIntervalMs: 5_000 };

/**
 * Bounds what a client can hold with connections that do nothing: refuses further ones of an address that has too many, and
 * disconnects clients that stop reading a response.
 * @returns a function that ends the checks
 */
export function limitConnections(
  server: Server,
  isTrustedProxy: (address: string) => boolean,
  limits: Partial<ConnectionLimits> = {},
): () => void {
  const { perAddress, stallMs, checkIntervalMs } = { ...LIMITS, ...limits };
  const counts = new Map<string, number>();
  const sockets = new Map<Socket, { sentBytes: number; at: number }>();

  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    const count = (counts.get(network) ?? 0) + 1;
    if (count > perAddress && !isTrustedProxy(address)) {
      socket.destroy();
      return;
    }
    counts.set(network, count);
    sockets.set(socket, { sentBytes: 0, at: performance.now() });
    socket.once('close', () => {
      sockets.delete(socket);
      const left = (counts.get(network) ?? 1) - 1;
      if (left === 0) counts.delete(network);
      else counts.set(network, left);
    });
  });

  const checking = setInterval(() => {
    const now = performance.now();
    for (const [socket, progress] of sockets) {
      const sentBytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || sentBytes !== progress.sentBytes) sockets.set(socket, { sentBytes, at: now });
      else if (now - progress.at > stallMs) socket.destroy();
    }
  }, checkIntervalMs).unref();
  return () => clearInterval(checking);
}
