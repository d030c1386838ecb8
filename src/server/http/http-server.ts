import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { log } from '../log';
import type { ServedRequest } from '../metrics/requests';
import { createClientAddresses } from './client-address';
import { limitConnections } from './connection/connections';
import { lingerAfter } from './connection/linger';
import { oneAfterAnother } from './connection/serial';
import { createUnsent } from './connection/unsent';
import { respond, toWebRequest, type WebHandler } from './fetch-adapter';
import { createHttpFront } from './front';
import { renderWithData } from './page-request';
import { isApiUrl, type Refusal, refuse, refuseUnreadable } from './refusal';
import { formatRequestCount, REQUEST_COUNT_HEADER, type RequestCount } from './request-count';

const DRAIN_TIMEOUT_MS = 25_000;
const IDLE_CHECK_INTERVAL_MS = 100;

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

type HttpOptions = {
  appUrl: string;
  trustedProxies: readonly string[];
  isDev: boolean;
  /** The responder for an API path; undefined if the path belongs to `servePage`. */
  findApiHandler: (pathname: string) => WebHandler | undefined;
  servePage: Handler;
  /** The responder for a file of the build that is compressed already, before the pages. */
  findFile?: (request: IncomingMessage) => Handler | undefined;
  /** The path to which a browser is sent that asks for a page; null if it gets the page. */
  redirectOf: (request: IncomingMessage) => Promise<string | null>;
  /** The responder for what is served by host name, before the API and the pages. */
  findPublishedHandler: (host: string, pathname: string) => WebHandler | undefined;
  /** Counts a request of a client address against its limit. The app refuses API requests beyond it, this server the rest. */
  countRequest: (ip: string) => Promise<RequestCount>;
  refusalOf: (count: RequestCount) => Refusal | null;
  /** Called at the end of every response. */
  observe: (request: ServedRequest) => void;
};

/**
 * Serves every request that `server` emits: the API directly, everything else with `servePage`.
 * @returns a function that stops accepting connections and waits a while for the requests in flight
 */
export function serveHttp(server: Server, options: HttpOptions): () => Promise<void> {
  const addresses = createClientAddresses(options.trustedProxies);
  const front = createHttpFront({ ...options, addresses });
  const unsent = createUnsent();
  const published = new WeakSet<IncomingMessage>();
  const stopChecks = limitConnections(server, addresses.isTrustedProxy);
  let isClosing = false;

  const handle: Handler = async (request, response) => {
    if (isClosing) response.setHeader('Connection', 'close');
    const refusal = front.check(request);
    if (refusal) return refuse(request, response, refusal);
    const ip = front.stamp(request, response);
    const count = await options.countRequest(ip);
    request.headers[REQUEST_COUNT_HEADER] = formatRequestCount(count);
    const [path = ''] = (request.url ?? '').split('?', 1);
    const publishing = options.findPublishedHandler(request.headers.host ?? '', path);
    if (publishing) {
      published.add(request);
      front.stampPublished(response);
    }
    const isApi = !publishing && isApiUrl(path);
    const api = isApi ? options.findApiHandler(path) : undefined;
    const write = (chunk: Uint8Array) => unsent.write(response, chunk, ip);
    if (api) return respond(response, await api(toWebRequest(request)), write);
    const overLimit = options.refusalOf(count);
    if (overLimit) return refuse(request, response, overLimit);
    if (publishing) return respond(response, await publishing(toWebRequest(request)), write);
    // In development, Next.js serves the API.
    if (isApi && !options.isDev) return refuse(request, response, unknownEndpoint);
    const file = options.findFile?.(request);
    if (file) return file(request, response);
    const location = isDocument(request) ? await options.redirectOf(request) : null;
    if (location !== null) return redirect(response, location);
    forbidTransforms(response);
    await renderWithData(request, response, options.findApiHandler('/api/trpc/'), () =>
      options.servePage(request, response),
    );
  };

  // Next.js changes the request's URL, so it is read before.
  const observeEnd = (request: IncomingMessage, response: ServerResponse) => {
    const startedAt = performance.now();
    const { method = '', url = '' } = request;
    response.once('close', () => {
      const [path = ''] = url.split('?', 1);
      const status = response.headersSent ? response.statusCode : null;
      const durationMs = performance.now() - startedAt;
      options.observe({ method, path, isPublished: published.has(request), status, durationMs });
    });
  };

  server.on('clientError', refuseUnreadable);
  server.on('connect', (_request, socket) => refuseUnreadable({ code: 'CONNECT' }, socket));
  const exchange = oneAfterAnother((request, response) => {
    lingerAfter(request);
    observeEnd(request, response);
    handle(request, response).catch((error: unknown) => {
      // Without the query, which may hold a secret.
      const [path = ''] = (request.url ?? '').split('?', 1);
      log.error({ error, method: request.method, path }, 'request failed');
      if (response.headersSent) response.destroy();
      else refuse(request, response, { status: 500, code: 'INTERNAL_ERROR', message: 'Something went wrong.' });
    });
  });
  server.on('request', exchange);
  return async () => {
    isClosing = true;
    await close(server);
    stopChecks();
  };
}

function isDocument({ method, headers }: IncomingMessage): boolean {
  // Next.js asks for parts of pages, too.
  return method === 'GET' && (headers['sec-fetch-dest'] ?? 'document') === 'document' && headers.rsc === undefined;
}

/**
 * Keeps proxies such as Cloudflare from rewriting the addresses in a page, which React then can't take over. Next.js doesn't compress a
 * response with this directive, so it is added when the headers are written, after Next.js has decided.
 */
function forbidTransforms(response: ServerResponse): void {
  const { writeHead } = response;
  response.writeHead = (...args: unknown[]) => {
    if (String(response.getHeader('Content-Type')).startsWith('text/html')) {
      const others = response.getHeader('Cache-Control');
      response.setHeader('Cache-Control', others ? `${others}, no-transform` : 'no-transform');
    }
    return Reflect.apply(writeHead, response, args);
  };
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { Location: location, 'Content-Length': 0, 'Cache-Control': 'no-store' });
  response.end();
}

const unknownEndpoint: Refusal = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'Unknown endpoint. The API is at /api/v1, in lower case.',
};

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(idle);
      resolve();
    });
  });
}
