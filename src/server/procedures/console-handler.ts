import type { AnyTRPCRouter } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { reserveBodyBudget } from '../http/body/body-budget';
import { rejectTooComplex } from '../http/body/json';
import { readBytes, requireJson } from '../http/body/read-body';
import { limitAddress } from '../limits/rate-limit';
import { log } from '../log';
import { isUnexpected, publicError } from '../public-error';
import { type Context, createContext } from './context';

const ENDPOINT = '/api/trpc';
const BODY_LIMIT_BYTES = 1024 * 1024;
const MAX_BATCH = 20;

/** Handles the console's tRPC calls with the limits of REST: JSON only, bodies counted while they arrive. */
export function createConsoleHandler(router: AnyTRPCRouter): (request: Request) => Promise<Response> {
  return async (request) => {
    const headers = new Headers();
    const ctx = createContext(request, undefined, headers);
    try {
      const bounded = request.method === 'POST' ? await readCounted(request, ctx) : request;
      return await fetchRequestHandler({
        endpoint: ENDPOINT,
        req: bounded,
        router,
        allowMethodOverride: false,
        maxBatchSize: MAX_BATCH,
        createContext: () => ctx,
        responseMeta: () => ({ headers: withRequestId(headers, ctx) }),
        onError: ({ error, path }) => {
          if (isUnexpected(publicError(error)))
            log.error({ request_id: ctx.request.id, path, error }, 'request failed');
        },
      });
    } catch (error) {
      const { code, status, message, details } = publicError(error);
      const data = { apiCode: code, details, requestId: ctx.request.id, httpStatus: status };
      return Response.json([{ error: { message, code: -32600, data } }], {
        status,
        headers: withRequestId(headers, ctx),
      });
    }
  };
}

/** Counts the request before its body is read; of a batch, the first call is not counted again. */
async function readCounted(request: Request, ctx: Context): Promise<Request> {
  await limitAddress(ctx);
  ctx.isAddressCounted = true;
  return readWhole(request);
}

async function readWhole(request: Request): Promise<Request> {
  const budget = reserveBodyBudget();
  try {
    const body = await readBytes(request, BODY_LIMIT_BYTES, budget);
    requireJson(request, body);
    rejectTooComplex(body);
    return new Request(request.url, { method: 'POST', headers: request.headers, body: body as BodyInit });
  } finally {
    budget.release();
  }
}

function withRequestId(headers: Headers, ctx: Context): Headers {
  headers.set('X-Request-Id', ctx.request.id);
  headers.set('Cache-Control', 'no-store');
  return headers;
}
