import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

const LINGER_MS = 3_000;
const LINGER_BYTES = 64 * 1024 * 1024;

/**
 * Lets a client that is still writing its request read the response. Closing with unread bytes would reset the connection
 * and lose the response, so incoming bytes are dropped for a while (RFC 9112, 9.6).
 */
export function lingerAfter(request: IncomingMessage): void {
  const { socket } = request;
  // Node's server calls this after the last response of a connection.
  socket.destroySoon = () => (request.complete ? Socket.prototype.destroySoon.call(socket) : linger(socket));
}

function linger(socket: Socket): void {
  let leftBytes = LINGER_BYTES;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  // Without its listener the parser sees nothing more, so no further request starts.
  socket.removeAllListeners('data').on('data', (chunk) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) socket.destroy();
  });
  socket.end();
  socket.resume();
}
