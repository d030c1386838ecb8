import type { AnyTRPCProcedure, AnyTRPCRouter } from '@trpc/server';
import { z } from 'zod';
import type { ProcedureMeta, Rest } from './meta';

export type Route = {
  method: string;
  /** `/domains/{id}` */
  template: string;
  segments: string[];
  /** The procedure's name, `domains.get`. */
  procedure: string;
  meta: ProcedureMeta & { rest: Rest };
  input: z.ZodObject;
};

export type Match = { route: Route; params: Record<string, string> } | { allowed: string[] } | null;

/** All routes, static paths before paths with parameters. Built once. */
export function routesOf(router: AnyTRPCRouter): Route[] {
  const procedures = router._def.procedures as Record<string, AnyTRPCProcedure>;
  return Object.entries(procedures)
    .flatMap(([name, procedure]) => {
      const meta = procedure._def.meta as ProcedureMeta | undefined;
      if (!meta?.openapi || !meta.rest) return [];
      const { method, path } = meta.openapi;
      const [own] = (procedure._def as unknown as { inputs: z.ZodObject[] }).inputs;
      const input = meta.rest.body?.schema ?? own ?? z.strictObject({});
      return [
        {
          method,
          template: path,
          segments: segmentsOf(path),
          procedure: name,
          meta: { ...meta, rest: meta.rest },
          input,
        },
      ];
    })
    .sort((a, b) => parameterCount(a) - parameterCount(b));
}

/** The route for a method and path; the allowed methods if only the path is known; or null. */
export function matchRoute(routes: Route[], method: string, path: string): Match {
  const segments = segmentsOf(path);
  const allowed: string[] = [];
  for (const route of routes) {
    const params = paramsOf(route, segments);
    if (!params) continue;
    if (route.method === method) return { route, params };
    allowed.push(route.method);
  }
  return allowed.length > 0 ? { allowed: [...new Set(allowed)] } : null;
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}

function parameterCount(route: Route): number {
  return route.segments.filter(isParameter).length;
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function paramsOf(route: Route, segments: string[]): Record<string, string> | null {
  if (segments.length !== route.segments.length) return null;
  const params: Record<string, string> = {};
  for (const [i, expected] of route.segments.entries()) {
    const given = decode(segments[i] as string);
    if (!given) return null;
    if (isParameter(expected)) params[expected.slice(1, -1)] = given;
    else if (given !== expected) return null;
  }
  return params;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
