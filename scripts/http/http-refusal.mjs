import { STATUS_CODES } from 'node:http';
import { v7 as uuidv7 } from 'uuid';

const API_PREFIX = '/api/v1';
const LINGER_MS = 1_000;

/**
 * A response of the HTTP layer before the app sees the request, in the API's envelope for API paths.
 * @typedef {{ status: number, code: string, message: string, headers?: Record<string, string> }} Refusal
 */

/** @param {Refusal} refusal */
export function refuse(request, response, { status, code, message, headers = {} }) {
  const requestId = uuidv7();
  const isApi = request.url.startsWith(API_PREFIX);
  const body = isApi ? JSON.stringify(envelope(code, message, requestId)) : `${message}\n`;
  response.writeHead(status, {
    'Content-Type': isApi ? 'application/json' : 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    Connection: 'close',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Responds to a request that could not be parsed: there is only a socket, no response object. */
export function refuseUnreadable(error, socket) {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code] ?? 400;
  const body = `${STATUS_CODES[status]}\n`;
  // A client that ignores the end would hold its socket and memory forever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function envelope(code, message, requestId) {
  const meta = { request_id: requestId, timestamp: new Date().toISOString(), pagination: null };
  return { data: null, error: { code, message, details: null }, meta };
}
