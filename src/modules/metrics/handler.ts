import { Registry } from 'prom-client';
import { type Database, database } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { metrics } from '@/server/metrics/metrics';
import { createTokenHandler } from '@/server/rest/token-handler';
import { clusterMetrics } from './cluster';

/** Serves metrics in Prometheus' text format: those of this process, and those of the whole system. */
export function createMetricsHandler() {
  return createTokenHandler({
    setting: 'METRICS_TOKEN',
    tokenOf: ({ metricsToken }) => metricsToken,
    async respond({ method }, { headers, isHead }) {
      if (method !== 'GET' && !isHead)
        throw new AppError('METHOD_NOT_ALLOWED', 'This endpoint accepts GET.', { headers: { Allow: 'GET, HEAD' } });
      const { contentType, text } = await readMetrics(database());
      headers.set('Content-Type', contentType);
      headers.set('Cache-Control', 'no-store');
      return new Response(isHead ? null : text, { headers });
    },
    failed: 'reading metrics failed',
  });
}

async function readMetrics(db: Database): Promise<{ contentType: string; text: string }> {
  const { registry } = metrics();
  const all = Registry.merge([registry, await clusterMetrics(db)]);
  return { contentType: registry.contentType, text: await all.metrics() };
}
