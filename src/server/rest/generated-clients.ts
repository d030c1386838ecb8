import type { Document } from './served-document';

type Part = Record<string, unknown>;

/** Generators check these themselves. Several fail on a pattern beside them, or refuse every value that they have parsed. */
const CHECKED_FORMATS: unknown[] = ['date-time', 'date', 'uuid', 'email', 'ipv4', 'ipv6', 'uri'];
const MAX_INT32 = 2 ** 31 - 1;

/** Adapts the document, which is exact, to what clients that are generated from it accept. */
export function forGeneratedClients(document: Document): Document {
  for (const operation of Object.values(document.paths ?? {}).flatMap((path) => Object.values(path)))
    forEachPart((operation as { responses: unknown }).responses, allowNewFields);
  forEachPart([document.components, document.webhooks], allowNewFields);
  forEachPart(document.paths, simplify);
  forEachPart([document.components, document.webhooks], simplify);
  return document;
}

/**
 * Responses and events get new fields at any time (docs/api-contract.md), so generated clients may not refuse those they don't know. The
 * schemas of requests stay closed; none of them is a component.
 */
function allowNewFields(schema: Part): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}

function simplify(schema: Part): void {
  if (CHECKED_FORMATS.includes(schema.format)) delete schema.pattern;
  if (schema.type === 'integer') widen(schema);
}

/** Names the size of integers that generators would make too small, in place of the bounds that Zod gives all of them. */
function widen(schema: Part): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  const { maximum } = schema;
  if (typeof maximum !== 'number' || maximum > MAX_INT32) schema.format = 'int64';
}

function forEachPart(value: unknown, change: (part: Part) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) change(value as Part);
  for (const part of Object.values(value)) forEachPart(part, change);
}
