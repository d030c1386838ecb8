import type { AnyTRPCRouter } from '@trpc/server';
import { entityTag } from '@/lib/record-version';
import type { Clock } from '../clock';
import { AppError } from '../errors';
import { type BodyBudget, reserveBodyBudget } from '../http/body/body-budget';
import { networkOf } from '../http/client-address';
import { allowOrigin, isPreflight, preflight } from '../http/cors';
import type { WebRequest, WebResponse } from '../http/fetch-adapter';
import { limitAddress } from '../limits/rate-limit';
import { log } from '../log';
import { type Context, createContext } from '../procedures/context';
import { admit } from '../procedures/trpc';
import { isUnexpected, loggedError, type PublicError, publicError } from '../public-error';
import { documentResponder, type Webhooks } from './document';
import { failure, success } from './envelope';
import { type FileOutput, fileResponse } from './file';
import { readInput } from './input';
import { API_PATH, createMatcher, type Matcher, type Route, routesOf } from './routes';

export type RestHandler = (request: WebRequest, clock?: Clock) => Promise<WebResponse>;

const DOCUMENT_PATH = '/openapi.json';
const READ_METHODS = ['GET', 'HEAD'];

type Caller = Record<string, Record<string, (input: unknown) => Promise<unknown>>>;

/** Serves REST from the procedures that the console calls. */
export function createRestHandler(router: AnyTRPCRouter, webhooks: () => Webhooks = () => ({})): RestHandler {
  const match = createMatcher(routesOf(router));
  const respondWithDocument = documentResponder(router, webhooks);
  const callerOf = (ctx: Context) => router.createCaller(ctx) as unknown as Caller;

  return async (request, clock) => {
    const ctx = createContext(request, clock);
    allowOrigin(request, ctx.response.headers);
    const startedAt = performance.now();
    const isHead = request.method === 'HEAD';
    const facts = { requestId: ctx.request.id, at: ctx.clock.now(), headers: ctx.response.headers, isHead };
    let budget: BodyBudget | undefined;
    let route: Route | null = null;
    let response: WebResponse;
    const url = new URL(request.url);
    const path = url.pathname.slice(API_PATH.length);
    let cause: unknown;
    try {
      if (path === DOCUMENT_PATH && READ_METHODS.includes(request.method)) {
        await limitAddress(ctx);
        return respondWithDocument(ctx.response.headers);
      }
      const found = find(match, request.method, path);
      route = found.route;
      ctx.admission = await admit(ctx, route.meta);
      budget = reserveBodyBudget(ctx.admission.actor?.admin.id ?? networkOf(ctx.request.ip));
      const input = await readInput(request, route, { params: found.params, url, budget, at: ctx.clock.now() });
      if (ctx.admission.actor) ctx.admission = { actor: await ctx.identify() };
      const [module, verb] = route.procedure.split('.') as [string, string];
      const data = await callerOf(ctx)[module]?.[verb]?.(input);
      const { status, isPaginated, redirect, file } = route.meta.rest;
      setEntityTag(ctx, route, data);
      if (redirect) response = redirectResponse((data as { location: string }).location, ctx);
      else if (file)
        response = fileResponse(data as FileOutput, { contentType: file, headers: withRequestId(ctx), isHead });
      else response = success(data, ctx.response.status ?? status, isPaginated, facts);
    } catch (error) {
      const publicErr = publicError(error);
      if (isUnexpected(publicErr)) cause = error;
      const errorPage =
        isTemporary(publicErr) && isPageLoad(request) ? route?.meta.rest.redirect?.errorPage : undefined;
      if (publicErr.headers.Allow && isPreflight(request, facts.headers)) {
        response = preflight(publicErr.headers.Allow, facts.headers);
      } else if (errorPage) {
        response = redirectResponse(`${errorPage}?error=${publicErr.code.toLowerCase()}`, ctx);
      } else {
        response = failure(publicErr, facts);
      }
    } finally {
      budget?.release();
    }
    writeLogLine(ctx, request, route, response.status, performance.now() - startedAt, cause);
    return response;
  };
}

function find(match: Matcher, method: string, path: string) {
  if (path === DOCUMENT_PATH) throw notAllowed(['GET']);
  const found = match(method === 'HEAD' ? 'GET' : method, path);
  if (!found) {
    const isOnlySlash = path.endsWith('/') && match(method, path.replace(/\/$/, '')) !== null;
    throw new AppError('NOT_FOUND', `Unknown endpoint.${isOnlySlash ? ' Leave out the slash at the end.' : ''}`);
  }
  if ('route' in found) return found;
  throw notAllowed(found.allowed);
}

function redirectResponse(location: string, ctx: Context): Response {
  const { headers } = ctx.response;
  headers.set('Location', location);
  headers.set('Cache-Control', 'no-store');
  return new Response(null, { status: 302, headers: withRequestId(ctx) });
}

/** Sets the `ETag` of the record that the response has, unless the verb did. */
function setEntityTag({ response: { headers } }: Context, { method, meta }: Route, data: unknown): void {
  if (!meta.versioned || method === 'DELETE' || headers.has('ETag')) return;
  headers.set('ETag', entityTag(meta.versioned.versionOf(data as never)));
}

function withRequestId(ctx: Context): Headers {
  ctx.response.headers.set('X-Request-Id', ctx.request.id);
  return ctx.response.headers;
}

function isTemporary({ status }: PublicError): boolean {
  return status === 429 || status >= 500;
}

function isPageLoad(request: WebRequest): boolean {
  return (request.headers.get('accept') ?? '').includes('text/html');
}

function notAllowed(methods: string[]): AppError {
  const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return new AppError('METHOD_NOT_ALLOWED', `This endpoint accepts ${allow}.`, { headers: { Allow: allow } });
}

function writeLogLine(
  ctx: Context,
  request: WebRequest,
  route: Route | null,
  status: number,
  durationMs: number,
  cause: unknown,
): void {
  const line = {
    request_id: ctx.request.id,
    method: request.method,
    route: route?.template ?? null,
    status,
    duration_ms: Math.round(durationMs * 10) / 10,
    ip: ctx.request.ip,
    admin_id: ctx.admission?.actor?.admin.id ?? null,
    api_key_id: ctx.admission?.actor?.key?.id ?? null,
  };
  if (cause) log.error({ ...line, ...loggedError(cause) }, 'request failed');
  else log.info(line, 'request');
}
