import { documentedEvents } from '@/modules/events/documented';
import { createMetricsHandler } from '@/modules/metrics/handler';
import { appRouter } from '@/modules/router';
import { sweepDeliveries } from '@/modules/webhooks/service';
import { toResponse, type WebHandler } from '@/server/http/fetch-adapter';
import { createRequestObserver } from '@/server/metrics/requests';
import { createConsoleHandler } from '@/server/procedures/console-handler';
import { createRestHandler } from '@/server/rest/dispatch';
import { routesOf } from '@/server/rest/routes';
import { createCronHandler } from '@/server/rest/token-handler';

const rest = createRestHandler(appRouter, documentedEvents);
const cron = createCronHandler(sweepDeliveries);
const metrics = createMetricsHandler();
const consoleCalls = createConsoleHandler(appRouter);

// Next.js passes its routes a second argument, which is not the clock that some handlers take.
const inNext = (handler: WebHandler) => (request: Request) => handler(request).then(toResponse);

export const handleRest = inNext(rest);
export const handleWebhooksCron = inNext(cron);
export const handleMetrics = inNext(metrics);
export const handleConsole = inNext(consoleCalls);

/** Counts the requests that the HTTP server has served. */
export const observeRequest = createRequestObserver(routesOf(appRouter));

/** The handler of an API path, undefined for every other path. The HTTP server calls it without going through Next.js. */
export function findApiHandler(pathname: string): WebHandler | undefined {
  if (pathname === '/api/cron/webhooks') return cron;
  if (pathname === '/api/metrics') return metrics;
  if (pathname.startsWith('/api/trpc/')) return consoleCalls;
  return pathname === '/api/v1' || pathname.startsWith('/api/v1/') ? rest : undefined;
}
