import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

// More than any client pipelines. Their headers, up to 32 KB each, are all that waits.
const MAX_WAITING = 16;

type Exchange = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Handles the requests of a connection one after another: the next one starts when the client has received the response
 * before it. A client that pipelines requests and reads nothing costs one response. With more waiting, it is disconnected.
 */
export function oneAfterAnother(handle: Exchange): Exchange {
  const waitingOn = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>();

  function start(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    response.once('close', () => {
      const next = waitingOn.get(socket)?.shift();
      if (!next || socket.destroyed) waitingOn.delete(socket);
      else start(...next);
    });
    handle(request, response);
  }

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const waiting = waitingOn.get(socket);
    if (!waiting) {
      waitingOn.set(socket, []);
      start(request, response);
    } else if (waiting.length < MAX_WAITING) waiting.push([request, response]);
    else socket.destroy();
  };
}
