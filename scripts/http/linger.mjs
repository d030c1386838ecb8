import { Socket } from 'node:net';

const LINGER_MS = 3_000;
const LINGER_BYTES = 64 * 1024 * 1024;

/**
 * Lets a client that still writes its request read the answer to it: closed with bytes unread, the connection would be
 * reset, and the answer lost with it. So what still comes is dropped for a while (RFC 9112, 9.6).
 */
export function lingerAfter(request) {
  const { socket } = request;
  // Node's server calls this after the last answer of a connection.
  socket.destroySoon = () => (request.complete ? Socket.prototype.destroySoon.call(socket) : linger(socket));
}

function linger(socket) {
  let leftBytes = LINGER_BYTES;
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  // Its listener gone, the parser sees no more: nothing that comes now is a request.
  socket.removeAllListeners('data').on('data', (chunk) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) socket.destroy();
  });
  socket.end();
  socket.resume();
}
