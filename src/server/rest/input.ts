import type { z } from 'zod';
import { AppError, type FieldError } from '../errors';
import type { BodyBudget } from '../http/body/body-budget';
import { parseJsonObject } from '../http/body/json';
import { readBytes, requireJson } from '../http/body/read-body';
import type { WebRequest } from '../http/fetch-adapter';
import { unwrap } from '../validation';
import type { Route } from './routes';

const MAX_FIELDS_TOLD = 50;
const READS_BODY = new Set(['POST', 'PATCH', 'DELETE']);
const EMPTY_OBJECT = new TextEncoder().encode('{}');

/** Builds a procedure's input object from path, query and body. Duplicates are rejected. */
export async function readInput(
  request: WebRequest,
  route: Route,
  { params, url, budget, at }: { params: Record<string, string>; url: URL; budget: BodyBudget; at: Date },
): Promise<unknown> {
  const { body, bodyLimitBytes } = route.meta.rest;
  const query = readQuery(url.searchParams, route);
  if (!READS_BODY.has(route.method)) return { ...query, ...params };
  const bytes = await readBytes(request, bodyLimitBytes(), budget);
  requireJson(request, bytes);
  if (body) return body.prepare(bytes.byteLength > 0 ? bytes : EMPTY_OBJECT.slice(), at);
  const fields = bytes.byteLength > 0 ? parseJsonObject(bytes) : {};
  const unexpected = Object.keys(fields).filter((key) => Object.hasOwn(params, key));
  if (unexpected.length > 0) throw invalidParameters(unexpected, 'This parameter is part of the path.');
  return { ...fields, ...params };
}

/** Parameters that have an error code of their own for what they can't be. */
const NEVER_EMPTY = new Set(['limit', 'period', 'granularity', 'timezone', 'start', 'end']);

function readQuery(search: URLSearchParams, route: Route): Record<string, unknown> {
  if (route.meta.rest.isOpenQuery) dropUnknown(search, route);
  const names = [...search.keys()];
  const repeated = repeatedOf(names);
  if (repeated.length > 0) throw invalidParameters(repeated, 'Duplicate parameter.');
  if (route.method !== 'GET' && names.length > 0)
    throw invalidParameters(names, 'This endpoint doesn’t accept query parameters.');
  const unexpected = names.filter(
    (name) => !Object.hasOwn(route.input.shape, name) || route.template.includes(`{${name}}`),
  );
  if (unexpected.length > 0) throw invalidParameters(unexpected, 'Unknown parameter.');
  // Forms send the filters that aren't set, and loops the cursor of their first page, as empty text.
  const given = [...search].filter(([name, text]) => text !== '' || NEVER_EMPTY.has(name));
  return Object.fromEntries(given.map(([name, text]) => [name, typed(text, route.input.shape[name] as z.ZodType)]));
}

function repeatedOf(names: string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.size === seen.add(name).size);
}

function dropUnknown(search: URLSearchParams, route: Route): void {
  for (const name of [...search.keys()]) {
    if (!Object.hasOwn(route.input.shape, name) || route.template.includes(`{${name}}`)) search.delete(name);
  }
}

/** Converts `true`, `false` (Python writes `True`) and plain decimals only; anything else stays text, for the schema to reject. */
function typed(text: string, schema: z.ZodType): unknown {
  const type = unwrap(schema)?.def.type;
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (type === 'number' && /^(0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  return text;
}

function invalidParameters(names: string[], message: string): AppError {
  const fields: FieldError[] = [...new Set(names)].slice(0, MAX_FIELDS_TOLD).map((path) => ({ path, message }));
  const listed = fields.map((field) => field.path).join(', ');
  return new AppError('VALIDATION_ERROR', `Invalid parameters: ${listed}.`, { details: { fields } });
}
