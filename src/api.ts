import { createMetricsHandler } from '@/modules/metrics/handler';
import { appRouter } from '@/modules/router';
import { sweepDeliveries } from '@/modules/webhooks/service';
import { createRequestObserver } from '@/server/metrics/requests';
import { createConsoleHandler } from '@/server/procedures/console-handler';
import { createCronHandler } from '@/server/rest/cron';
import { createRestHandler } from '@/server/rest/dispatch';
import { routesOf } from '@/server/rest/routes';

type Handler = (request: Request) => Promise<Response>;

const rest = createRestHandler(appRouter);
const cron = createCronHandler(sweepDeliveries);

// Next.js passes its routes a second argument, which is not the clock that these two take.
export const handleRest: Handler = (request) => rest(request);
export const handleWebhooksCron: Handler = (request) => cron(request);
export const handleMetrics: Handler = createMetricsHandler();
export const handleConsole: Handler = createConsoleHandler(appRouter);

/** Counts the requests that the HTTP server has served. */
export const observeRequest = createRequestObserver(routesOf(appRouter));

/** The handler of an API path, undefined for every other path. The HTTP server calls it without going through Next.js. */
export function handlerAt(pathname: string): Handler | undefined {
  if (pathname === '/api/cron/webhooks') return handleWebhooksCron;
  if (pathname === '/api/metrics') return handleMetrics;
  if (pathname.startsWith('/api/trpc/')) return handleConsole;
  return pathname === '/api/v1' || pathname.startsWith('/api/v1/') ? handleRest : undefined;
}
