import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { OutboundTarget } from './address/target';
import type { OutboundBody } from './body';
import type { Connections, Opening } from './connections';
import { ClosedWhileIdle, OutboundFailure, socketFailure } from './failure';

export type Answer = {
  status: number;
  statusText: string;
  /** The first 20 in the order received, values cut at 200 characters. */
  headers: [string, string][];
  /** The first 1,000 characters of the body, well-formed and without NUL. */
  excerpt: string;
};

type Message = {
  method: 'GET' | 'POST';
  target: OutboundTarget;
  headers: Record<string, string>;
  body: OutboundBody;
  bodyBytes: number;
};

type Over = Opening & {
  connections: Connections;
  /** Called with the peer's address when the connection is used again. */
  onReused: (address: string | null) => void;
};

/**
 * Sends one request over a connection, and reads at most `maxResponseBytes` of the response body. The connection is closed
 * unless both were complete. Finishes with the response, even if the request body wasn't sent completely. Rejects with
 * ClosedWhileIdle or another OutboundFailure, or with the signal's reason if it aborts.
 */
export function exchange(
  { connections, connectionKey, open, onReused }: Over,
  message: Message,
  maxResponseBytes: number,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const opening: Opening = { connectionKey, open };
    const request = httpRequest({
      agent: connections,
      method: message.method,
      path: message.target.path,
      setHost: false,
      insecureHTTPParser: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      ...opening,
    });
    const sending = new AbortController();
    let informationals = 0;
    let hasResponse = false;

    const settle = (conclude: () => void) => {
      signal.removeEventListener('abort', onAbort);
      sending.abort(DONE);
      // Without effect on a connection that was kept: the request has left it.
      request.destroy();
      conclude();
    };
    const succeed = (answer: Answer) => settle(() => resolve(answer));
    const fail = (reason: unknown) => settle(() => reject(reason));
    const onAbort = () => fail(signal.reason);

    request.on('socket', (socket) => {
      if (request.reusedSocket) onReused(socket.remoteAddress ?? null);
    });
    request.on('error', (error) => {
      if (error instanceof OutboundFailure || signal.aborted) return fail(error);
      const isClosed = request.reusedSocket && !hasResponse && CLOSED.has((error as NodeJS.ErrnoException).code ?? '');
      fail(isClosed ? new ClosedWhileIdle() : socketFailure(error));
    });
    request.on('upgrade', () => fail(invalidResponse()));
    request.on('information', () => {
      informationals += 1;
      if (informationals > MAX_INFORMATIONALS) fail(invalidResponse());
    });
    request.on('response', (response) => {
      hasResponse = true;
      if (!response.statusCode || response.statusCode < 200) return fail(invalidResponse());
      // A server that rejects early often closes early; writing on would lose its response.
      if (response.statusCode >= 300) sending.abort(DONE);
      readResponse(response, maxResponseBytes).then(succeed, fail);
    });
    signal.addEventListener('abort', onAbort);
    try {
      signal.throwIfAborted();
      setHeaders(request, message);
      send(request, message.body, sending.signal).catch((error) => sending.signal.aborted || fail(error));
    } catch (error) {
      fail(error);
    }
  });
}

/** Without a reason, each abort makes an error with its stack. */
const DONE = 'done';
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_INFORMATIONALS = 20;
const MAX_HEADERS_KEPT = 20;
const MAX_TEXT_CHARACTERS = 200;
const EXCERPT_CHARACTERS = 1000;
const EXCERPT_BYTES = 4 * EXCERPT_CHARACTERS;
const FRAMING_FACTOR = 4;

function setHeaders(request: ClientRequest, { target, headers, bodyBytes }: Message): void {
  request.setHeader('User-Agent', 'Postroom/1');
  for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
  request.removeHeader('Transfer-Encoding');
  request.setHeader('Host', target.hostHeader);
  request.setHeader('Accept-Encoding', 'identity');
  request.setHeader('Connection', request.shouldKeepAlive ? 'keep-alive' : 'close');
  request.setHeader('Content-Length', bodyBytes);
}

async function send(request: ClientRequest, body: OutboundBody, signal: AbortSignal): Promise<void> {
  for (let piece = await body.next(); piece; piece = await body.next()) {
    if (signal.aborted) return;
    if (!request.write(piece)) await once(request, 'drain', { signal }).catch(() => {});
    if (signal.aborted) return;
  }
  if (!signal.aborted) request.end();
}

function readResponse(response: IncomingMessage, maxResponseBytes: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const kept: Buffer[] = [];
    const socket: Socket = response.socket;
    const bytesReadBefore = socket.bytesRead;
    let bytes = 0;
    const finish = () => resolve(toResponse(response, Buffer.concat(kept), bytes));
    response.on('data', (chunk: Buffer) => {
      if (bytes < EXCERPT_BYTES) kept.push(Buffer.from(chunk.subarray(0, EXCERPT_BYTES - bytes)));
      bytes += chunk.length;
      // The framing of a body in tiny chunks counts too.
      const bytesRead = socket.bytesRead - bytesReadBefore;
      if (bytes >= maxResponseBytes || bytesRead >= FRAMING_FACTOR * maxResponseBytes) finish();
    });
    response.on('end', finish);
    response.on('error', (error) => reject(socketFailure(error)));
  });
}

function invalidResponse(): OutboundFailure {
  return new OutboundFailure('bad_answer', "The endpoint's response is invalid.");
}

function toResponse(response: IncomingMessage, start: Buffer, bytes: number): Answer {
  const { rawHeaders } = response;
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length && headers.length < MAX_HEADERS_KEPT; at += 2) {
    headers.push([bounded(rawHeaders[at]), bounded(rawHeaders[at + 1])]);
  }
  return {
    status: response.statusCode ?? 0,
    statusText: bounded(response.statusMessage),
    headers,
    excerpt: excerptOf(start, bytes > start.length),
  };
}

function bounded(text = ''): string {
  return text.replaceAll('\0', '').slice(0, MAX_TEXT_CHARACTERS);
}

function excerptOf(start: Buffer, isCut: boolean): string {
  const text = new TextDecoder().decode(start, { stream: isCut }).replaceAll('\0', '');
  return Array.from(text).slice(0, EXCERPT_CHARACTERS).join('');
}
