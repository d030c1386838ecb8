import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import { addRoute, createRouter, findRoute } from 'rou3';
import { z } from 'zod';
import type { ProcedureMeta, Rest } from './meta';

export const API_PATH = '/api/v1';

export type Route = {
  method: string;
  /** `/domains/{id}` */
  template: string;
  /** `/api/v1/domains/{id}` */
  path: string;
  /** The procedure's name, `domains.get`. */
  procedure: string;
  isMutation: boolean;
  meta: ProcedureMeta & { rest: Rest };
  input: z.ZodObject;
};

type Match = { route: Route; params: Record<string, string> } | { allowed: string[] } | null;

/** All routes of the router. */
export function routesOf(router: AnyTRPCRouter): Route[] {
  const procedures = router._def.procedures as Record<string, AnyTRPCProcedure>;
  return Object.entries(procedures).flatMap(([name, procedure]) => {
    const meta = procedure._def.meta as ProcedureMeta | undefined;
    if (!meta?.openapi || !meta.rest) return [];
    const { method, path } = meta.openapi;
    const [own] = (procedure._def as unknown as { inputs: z.ZodObject[] }).inputs;
    const input = meta.rest.body?.schema ?? own ?? z.strictObject({});
    return [
      {
        method,
        template: path,
        path: `${API_PATH}${path}`,
        procedure: name,
        isMutation: procedure._def.type === 'mutation',
        meta: { ...meta, rest: meta.rest },
        input,
      },
    ];
  });
}

export type Matcher = (method: string, path: string) => Match;

/** Finds the route for a method and path, or the allowed methods if only the path is known. */
export function createMatcher(routes: Route[]): Matcher {
  const table = createRouter<Route>();
  for (const route of routes) addRoute(table, route.method, route.template.replaceAll(PARAMETER, ':$1'), route);
  const methods = [...new Set(routes.map(({ method }) => method))];

  return (method, path) => {
    // rou3 ignores a slash at the end; here it is another path.
    if (path.endsWith('/')) return null;
    const found = findRoute(table, method, path);
    if (found) {
      const params = decode(found.params ?? {});
      return params && { route: found.data, params };
    }
    const allowed = methods.filter((other) => findRoute(table, other, path));
    return allowed.length > 0 ? { allowed } : null;
  };
}

const PARAMETER = /\{(\w+)\}/g;

function decode(params: Record<string, string>): Record<string, string> | null {
  try {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return null;
  }
}
