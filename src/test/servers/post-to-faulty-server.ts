import { type OutboundOptions, type OutboundRequest, requestOnce } from '@/server/outbound/request';
import type { FaultyServer } from '@/test/servers/faulty-server';

/** The start of a response. */
export const OK = 'HTTP/1.1 200 OK\r\n';

export function post(
  server: FaultyServer,
  request: Partial<OutboundRequest> = {},
  options: Partial<OutboundOptions> = {},
) {
  async function* body() {
    yield Buffer.from('{}');
  }
  return requestOnce(
    { method: 'POST', url: server.url, headers: {}, body: body(), bodyBytes: 2, ...request },
    { allowPrivateNetworks: true, ca: server.ca, resolve: async () => ['127.0.0.1'], ...options },
  );
}

/** A body in chunks of 64 KB, endless by default. */
export function endless(bytes = Number.POSITIVE_INFINITY) {
  const piece = Buffer.alloc(64 * 1024, 'x');
  let pulledBytes = 0;
  let isClosed = false;
  async function* body() {
    try {
      while (pulledBytes < bytes) {
        pulledBytes += piece.length;
        yield piece;
      }
    } finally {
      isClosed = true;
    }
  }
  return { body: body(), pulledBytes: () => pulledBytes, isClosed: () => isClosed };
}
