import type { AnyTRPCRouter } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { MAX_BATCH } from '@/lib/console-batch';
import { reserveBodyBudget } from '../http/body/body-budget';
import { rejectTooComplex } from '../http/body/json';
import { readBytes, requireJson } from '../http/body/read-body';
import { networkOf } from '../http/client-address';
import type { WebRequest } from '../http/fetch-adapter';
import { limitAddress } from '../limits/rate-limit';
import { log } from '../log';
import { isUnexpected, loggedError, publicError } from '../public-error';
import { BODY_LIMIT_BYTES, type ProcedureMeta } from '../rest/meta';
import { type Context, createContext } from './context';

const ENDPOINT = '/api/trpc';

/** Handles the console's tRPC calls with the limits of REST: JSON only, bodies counted while they arrive. */
export function createConsoleHandler(router: AnyTRPCRouter): (request: WebRequest) => Promise<Response> {
  return async (request) => {
    const headers = new Headers();
    const ctx = createContext(request, undefined, headers);
    const procedures = proceduresOf(request);
    try {
      const bounded =
        request.method === 'POST' ? await readBounded(request, ctx, needsSession(procedures)) : requestOf(request);
      return await fetchRequestHandler({
        endpoint: ENDPOINT,
        req: bounded,
        router,
        // A query whose fields are too long for a URL.
        allowMethodOverride: true,
        maxBatchSize: MAX_BATCH,
        createContext: () => ctx,
        responseMeta: () => ({ headers: withRequestId(headers, ctx) }),
        onError: ({ error, path }) => {
          if (isUnexpected(publicError(error)))
            log.error({ request_id: ctx.request.id, procedure: path, ...loggedError(error) }, 'request failed');
        },
      });
    } catch (error) {
      const { code, status, message, details } = publicError(error);
      const data = { apiCode: code, details, requestId: ctx.request.id, httpStatus: status };
      // One for each call of a batch, as the client expects.
      const errors = procedures.slice(0, MAX_BATCH).map(() => ({ error: { message, code: -32600, data } }));
      return Response.json(errors, { status, headers: withRequestId(headers, ctx) });
    }
  };

  function needsSession(procedures: string[]): boolean {
    return procedures.some((name) => (router._def.procedures[name]?._def.meta as ProcedureMeta | undefined)?.access);
  }
}

function proceduresOf(request: WebRequest): string[] {
  return new URL(request.url).pathname.slice(ENDPOINT.length + 1).split(',');
}

/** Counts and identifies before the body is read, so that nobody without a session makes the server hold more than a few KB. */
async function readBounded(request: WebRequest, ctx: Context, isSignedIn: boolean): Promise<Request> {
  // The first call of a batch is not counted again.
  ctx.countedRequest = await limitAddress(ctx);
  const caller = isSignedIn ? (await ctx.identify()).admin.id : networkOf(ctx.request.ip);
  const budget = reserveBodyBudget(caller);
  try {
    const body = await readBytes(request, BODY_LIMIT_BYTES[isSignedIn ? 'signedIn' : 'public'], budget);
    requireJson(request, body);
    rejectTooComplex(body);
    return requestOf(request, body);
  } finally {
    budget.release();
  }
}

/** tRPC's own handler takes the Fetch API's request. */
function requestOf({ method, url, headers }: WebRequest, body?: Uint8Array): Request {
  return new Request(url, { method, headers: [...headers.entries()], body: body as BodyInit | undefined });
}

function withRequestId(headers: Headers, ctx: Context): Headers {
  headers.set('X-Request-Id', ctx.request.id);
  headers.set('Cache-Control', 'no-store');
  return headers;
}
