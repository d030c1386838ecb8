import { Registry } from 'prom-client';
import { type Database, database } from '@/server/database/db';
import { AppError } from '@/server/errors';
import type { WebRequest, WebResponse } from '@/server/http/fetch-adapter';
import { limitAddress } from '@/server/limits/rate-limit';
import { log } from '@/server/log';
import { metrics } from '@/server/metrics/metrics';
import { createContext } from '@/server/procedures/context';
import { isUnexpected, publicError } from '@/server/public-error';
import { failure } from '@/server/rest/envelope';
import { readBearer } from '@/server/secrets/credentials';
import { isSameSecret } from '@/server/secrets/crypto';
import { env } from '@/server/settings/env';
import { clusterMetrics } from './cluster';

/**
 * Serves metrics in Prometheus' text format with `Authorization: Bearer <METRICS_TOKEN>`: those of this process, and those of
 * the whole system.
 */
export function createMetricsHandler() {
  return async (request: WebRequest): Promise<WebResponse> => {
    const ctx = createContext(request);
    const { request: caller, response } = ctx;
    const facts = {
      requestId: caller.id,
      at: ctx.clock.now(),
      headers: response.headers,
      isHead: request.method === 'HEAD',
    };
    try {
      await limitAddress(ctx);
      requireGet(request);
      requireToken(request);
      const { contentType, text } = await readMetrics(database());
      response.headers.set('Content-Type', contentType);
      response.headers.set('Cache-Control', 'no-store');
      return new Response(facts.isHead ? null : text, { headers: response.headers });
    } catch (error) {
      const publicErr = publicError(error);
      if (isUnexpected(publicErr)) log.error({ request_id: caller.id, error }, 'reading metrics failed');
      return failure(publicErr, facts);
    }
  };
}

async function readMetrics(db: Database): Promise<{ contentType: string; text: string }> {
  const { registry } = metrics();
  const all = Registry.merge([registry, await clusterMetrics(db)]);
  return { contentType: registry.contentType, text: await all.metrics() };
}

function requireGet({ method }: WebRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new AppError('METHOD_NOT_ALLOWED', 'This endpoint accepts GET.', { headers: { Allow: 'GET, HEAD' } });
}

function requireToken(request: WebRequest): void {
  const { metricsToken } = env();
  const given = readBearer(request.headers.get('authorization') ?? '');
  if (metricsToken && given && isSameSecret(given, metricsToken)) return;
  throw new AppError('AUTH_REQUIRED', 'Send Authorization: Bearer <METRICS_TOKEN>.');
}
