import type { AnyTRPCRouter } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { type Context, createContext } from './context';
import { env } from './env';
import { log } from './log';
import { isUnforeseen, publicError } from './public-error';
import { readBytes, requireJson } from './rest/body';

const ENDPOINT = '/api/trpc';
const BODY_LIMIT_BYTES = 1024 * 1024;
const SEND_PROCEDURE = 'messages.send';
const MAX_BATCH = 20;

/** The console's door to the procedures, with the limits of the REST door: JSON only, bodies counted as they come in. */
export function createConsoleHandler(router: AnyTRPCRouter): (request: Request) => Promise<Response> {
  return async (request) => {
    const headers = new Headers();
    const ctx = createContext(request, undefined, headers);
    try {
      const bounded = request.method === 'POST' ? await readWhole(request, ctx) : request;
      return await fetchRequestHandler({
        endpoint: ENDPOINT,
        req: bounded,
        router,
        allowMethodOverride: false,
        maxBatchSize: MAX_BATCH,
        createContext: () => ctx,
        responseMeta: () => ({ headers: withRequestId(headers, ctx) }),
        onError: ({ error, path }) => {
          if (isUnforeseen(publicError(error)))
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

/** Only somebody signed in may hand over a body of a message's size. */
async function readWhole(request: Request, ctx: Context): Promise<Request> {
  requireJson(request);
  const isSend = new URL(request.url).pathname === `${ENDPOINT}/${SEND_PROCEDURE}`;
  if (isSend) await ctx.identify();
  const limitBytes = isSend ? (env().maxMessageSizeMb + 2) * 1024 * 1024 : BODY_LIMIT_BYTES;
  const body = await readBytes(request, limitBytes);
  return new Request(request.url, { method: 'POST', headers: request.headers, body: body as BodyInit });
}

function withRequestId(headers: Headers, ctx: Context): Headers {
  headers.set('X-Request-Id', ctx.request.id);
  headers.set('Cache-Control', 'no-store');
  return headers;
}
