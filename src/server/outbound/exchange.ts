import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { OutboundTarget } from './address/target';
import type { OutboundBody } from './body';
import type { Connections, Opening } from './connections';
import type { Deadline } from './deadline';
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
 * ClosedWhileIdle or another OutboundFailure, or with the deadline's reason.
 */
export function exchange(
  { connections, connectionKey, open, onReused }: Over,
  message: Message,
  maxResponseBytes: number,
  deadline: Deadline,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (deadline.reached) throw deadline.reached;
    const opening: Opening = { connectionKey, open };
    const request = httpRequest({
      agent: connections,
      method: message.method,
      path: message.target.path,
      headers: headersOf(message),
      insecureHTTPParser: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      ...opening,
    });
    let stopSending = () => {};
    let informationals = 0;
    let hasResponse = false;

    const settle = (conclude: () => void) => {
      forget();
      stopSending();
      // Without effect on a connection that was kept: the request has left it.
      request.destroy();
      conclude();
    };
    const succeed = (answer: Answer) => settle(() => resolve(answer));
    const fail = (reason: unknown) => settle(() => reject(reason));
    const forget = deadline.onReached(fail);

    request.on('socket', (socket) => {
      if (request.reusedSocket) onReused(socket.remoteAddress ?? null);
    });
    request.on('error', (error) => {
      if (error instanceof OutboundFailure || deadline.reached) return fail(error);
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
      if (response.statusCode >= 300) stopSending();
      readResponse(response, maxResponseBytes).then(succeed, fail);
    });
    stopSending = send(request, message.body, fail);
  });
}

/** Without a reason, each abort makes an error with its stack. */
const DONE = 'done';
const OWN_HEADERS = new Set(['accept-encoding', 'connection', 'content-length', 'host', 'transfer-encoding']);
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_INFORMATIONALS = 20;
const MAX_HEADERS_KEPT = 20;
const MAX_TEXT_CHARACTERS = 200;
const EXCERPT_CHARACTERS = 1000;
const EXCERPT_BYTES = 4 * EXCERPT_CHARACTERS;
const FRAMING_FACTOR = 4;

/** Names and values in turn, which the request doesn't have to collect first. It adds `Connection` itself. */
function headersOf({ target, headers, bodyBytes }: Message): string[] {
  const given = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  const hasUserAgent = given.some(([name]) => name.toLowerCase() === 'user-agent');
  return [
    ...(hasUserAgent ? [] : ['User-Agent', 'Postroom/1']),
    ...given.flat(),
    'Host',
    target.hostHeader,
    'Accept-Encoding',
    'identity',
    'Content-Length',
    String(bodyBytes),
  ];
}

/** @returns the function that stops it */
function send(request: ClientRequest, body: OutboundBody, onFailure: (error: unknown) => void): () => void {
  if (body.bytes) {
    request.end(body.bytes);
    return () => {};
  }
  const sending = new AbortController();
  sendPieces(request, body, sending.signal).catch((error) => sending.signal.aborted || onFailure(error));
  return () => sending.abort(DONE);
}

async function sendPieces(request: ClientRequest, body: OutboundBody, signal: AbortSignal): Promise<void> {
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
  if (start.length === 0) return '';
  const text = new TextDecoder().decode(start, { stream: isCut }).replaceAll('\0', '');
  return Array.from(text).slice(0, EXCERPT_CHARACTERS).join('');
}
