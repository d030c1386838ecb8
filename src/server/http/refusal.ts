import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '@/lib/error-codes';
import { uuidv7 } from '@/lib/uuid';

// Clients that join two paths, or write names in another case, mean the API, too: they read JSON.
const API = /^\/+api(?=[/?]|$)/i;
const LINGER_MS = 1_000;

/** A response of the HTTP layer before the app sees the request, in the API's envelope for API paths. */
export type Refusal = { status: number; code: ErrorCode; message: string; headers?: Record<string, string> };

/** Whether a URL is of the API, or was meant to be: only `/api` in lower case has endpoints. */
export function isApiUrl(url: string): boolean {
  return API.test(url);
}

export function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const { status, code, message, headers = {} } = refusal;
  const requestId = uuidv7();
  const isApi = isApiUrl(request.url ?? '');
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
export function refuseUnreadable(error: { code?: string }, socket: Duplex & { _httpMessage?: ServerResponse }): void {
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF[error.code ?? ''] ?? 400;
  const body = `${STATUS_CODES[status]}\n`;
  // A client that ignores the end would hold its socket and memory forever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const STATUS_OF: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

function envelope(code: ErrorCode, message: string, requestId: string): object {
  const meta = { request_id: requestId, timestamp: new Date().toISOString(), pagination: null };
  return { data: null, error: { code, message, details: null }, meta };
}
