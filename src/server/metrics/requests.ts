import type { Histogram } from 'prom-client';
import { ROUTES } from '@/lib/routes';
import { API_PATH, createMatcher, type Matcher, type Route } from '../rest/routes';
import { metrics } from './metrics';

export type ServedRequest = {
  method: string;
  /** Without the query. */
  path: string;
  /** Served by host name, such as an MTA-STS policy. */
  isPublished: boolean;
  /** Null if the client disconnected before the response began. */
  status: number | null;
  durationMs: number;
};

const API_DOCUMENT = `${API_PATH}/openapi.json`;
const OTHER_API = `${API_PATH}/*`;
const ASSETS = '/_next/*';
const PUBLISHED = 'published';
const OTHER = 'other';
const FIXED = ['/api/cron/webhooks', '/api/metrics', API_DOCUMENT];
const PAGES = [...ROUTES.map(({ href }) => href), '/login', '/setup', '/signed-in'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const ABORTED = 0;

type Child = Histogram.Internal<'method' | 'route' | 'status'>;

/**
 * Counts requests by method, route and class of the status. Routes are templates and groups of pages, whatever paths are
 * requested; their histograms are looked up, never made for a value from outside.
 */
export function createRequestObserver(routes: Route[]): (request: ServedRequest) => void {
  const match = createMatcher(routes);
  const series = new Map<string, Map<string, Child[]>>();

  function childrenOf(route: string, method: string): Child[] {
    const byMethod = series.get(route) ?? new Map<string, Child[]>();
    series.set(route, byMethod);
    const children = byMethod.get(method) ?? [];
    byMethod.set(method, children);
    return children;
  }

  return ({ method: given, path, isPublished, status, durationMs }) => {
    const method = METHODS.includes(given) ? given : OTHER;
    const route = isPublished ? PUBLISHED : routeOf(match, method, path);
    const children = childrenOf(route, method);
    const statusClass = status === null ? ABORTED : Math.floor(status / 100);
    children[statusClass] ??= metrics().httpDuration.labels({ method, route, status: labelOf(statusClass) });
    children[statusClass].observe(durationMs / 1000);
  };
}

function labelOf(statusClass: number): string {
  return statusClass === ABORTED ? 'aborted' : `${statusClass}xx`;
}

function routeOf(match: Matcher, method: string, path: string): string {
  if (FIXED.includes(path)) return path;
  if (path.startsWith('/api/trpc/')) return '/api/trpc';
  if (path === API_PATH || path.startsWith(`${API_PATH}/`)) {
    const found = match(method === 'HEAD' ? 'GET' : method, path.slice(API_PATH.length));
    return found && 'route' in found ? found.route.path : OTHER_API;
  }
  return path.startsWith('/_next/') ? ASSETS : pageOf(path);
}

/** A page of the console, or all pages below one. */
function pageOf(path: string): string {
  if (PAGES.includes(path)) return path;
  return BELOW_PAGES.find(([prefix]) => path.startsWith(prefix))?.[1] ?? OTHER;
}

const BELOW_PAGES = PAGES.filter((page) => page !== '/').map((page) => [`${page}/`, `${page}/*`] as const);
