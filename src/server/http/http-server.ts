import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { log } from '../log';
import { lingerAfter } from './connection/linger';
import { respond, toWebRequest } from './fetch-adapter';
import { createHttpFront, type FrontOptions } from './front';
import { refuse, refuseUnreadable } from './refusal';

const DRAIN_TIMEOUT_MS = 25_000;
const IDLE_CHECK_INTERVAL_MS = 100;
const API_PREFIX = '/api/';

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

type HttpOptions = FrontOptions & {
  /** The responder for an API path; undefined if the path belongs to `servePage`. */
  apiAt: (pathname: string) => ((request: Request) => Promise<Response>) | undefined;
  servePage: Handler;
};

/**
 * Serves every request that `server` emits: the API directly, everything else with `servePage`.
 * @returns a function that stops accepting connections and waits a while for the requests in flight
 */
export function serveHttp(server: Server, options: HttpOptions): () => Promise<void> {
  const front = createHttpFront(options);
  let isClosing = false;

  const handle: Handler = async (request, response) => {
    if (isClosing) response.setHeader('Connection', 'close');
    const refusal = front.check(request);
    if (refusal) return refuse(request, response, refusal);
    front.stamp(request, response);
    const [path = ''] = (request.url ?? '').split('?', 1);
    const api = path.startsWith(API_PREFIX) ? options.apiAt(path) : undefined;
    if (api) await respond(response, await api(toWebRequest(request)));
    else await options.servePage(request, response);
  };

  server.on('clientError', refuseUnreadable);
  server.on('connect', (_request, socket) => refuseUnreadable({ code: 'CONNECT' }, socket));
  server.on('request', (request, response) => {
    lingerAfter(request);
    handle(request, response).catch((error: unknown) => {
      log.error({ error, method: request.method, url: request.url }, 'request failed');
      if (response.headersSent) response.destroy();
      else refuse(request, response, { status: 500, code: 'INTERNAL_ERROR', message: 'Something went wrong.' });
    });
  });
  return () => {
    isClosing = true;
    return close(server);
  };
}

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
