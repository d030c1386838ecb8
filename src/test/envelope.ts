import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { openApiDocument } from '@/server/rest/document';

type Document = ReturnType<typeof openApiDocument>;
type Described = { content?: Record<string, { schema: object }>; headers?: Record<string, { required?: boolean }> };
type Operation = { responses: Record<string, Described> };

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
// The document is no schema itself, but has them.
const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, code: { optimize: false } });
const DOCUMENT = 'document';
let added: Document | undefined;

/** Checks the envelope of a response and, if its route is documented, its status and schema. */
export function checkEnvelope(
  document: Document,
  method: string,
  path: string,
  response: Response,
  body: unknown,
): void {
  expect(Object.keys(body as object).sort()).toEqual(['data', 'error', 'meta']);
  const { data, error, meta } = body as { data: unknown; error: unknown; meta: Record<string, unknown> };
  expect(Object.keys(meta).sort()).toEqual(['pagination', 'request_id', 'timestamp']);
  expect(meta.request_id).toMatch(UUID_V7);
  expect(response.headers.get('x-request-id')).toBe(meta.request_id);
  expect(meta.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(data === null).toBe(error !== null);
  if (error) expect(Object.keys(error).sort()).toEqual(['code', 'details', 'message']);

  const found = operationOf(document, method, path);
  if (!found) return;
  const { template, operation } = found;
  const documented = operation.responses[response.status];
  expect(documented, `${method} ${path} answers ${response.status}, which isn't documented`).toBeDefined();
  for (const [name, { required }] of Object.entries(documented?.headers ?? {}))
    if (required) expect(response.headers.get(name), `${method} ${path} answers without ${name}`).not.toBeNull();
  if (!documented?.content?.['application/json']) return;
  const status = String(response.status);
  const place = ['paths', template, method.toLowerCase(), 'responses', status, 'content', 'application/json', 'schema'];
  const validate = validatorAt(document, place);
  expect(validate(body), `${method} ${template} ${status}: ${ajv.errorsText(validate.errors)}`).toBe(true);
}

/** Checks that an event is as the document says, and returns it. */
export function checkedEvent<Event extends { event: string }>(document: Document, event: Event): Event {
  const place = ['webhooks', event.event, 'post', 'requestBody', 'content', 'application/json', 'schema'];
  const validate = validatorAt(document, place);
  expect(validate(event), `${event.event}: ${ajv.errorsText(validate.errors)}`).toBe(true);
  return event;
}

/** Compiles only what is at that place and what it refers to. */
function validatorAt(document: Document, place: string[]): ValidateFunction {
  if (added !== document) {
    ajv.removeSchema(DOCUMENT).addSchema(document, DOCUMENT);
    added = document;
  }
  const pointer = place.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = ajv.getSchema(`${DOCUMENT}#/${pointer}`);
  if (!validate) throw new Error(`the document has nothing at ${pointer}`);
  return validate;
}

type Template = { template: string; parts: string[]; operations: Record<string, Operation> };
const templates = new WeakMap<Document, Template[]>();

/** Returns the paths of a document, those without parameters first, as the dispatcher matches them. */
function templatesOf(document: Document): Template[] {
  const known = templates.get(document);
  if (known) return known;
  const read = Object.entries(document.paths ?? {})
    .map(([template, item]) => ({
      template,
      parts: template.split('/'),
      operations: item as Record<string, Operation>,
    }))
    .toSorted((one, other) => parametersIn(one) - parametersIn(other));
  templates.set(document, read);
  return read;
}

function operationOf(document: Document, method: string, path: string) {
  const segments = path.split('?')[0]?.split('/') ?? [];
  for (const { template, parts, operations } of templatesOf(document)) {
    const isMatch =
      parts.length === segments.length && parts.every((part, i) => part.startsWith('{') || part === segments[i]);
    const operation = isMatch && operations[method.toLowerCase()];
    if (operation) return { template, operation };
  }
  return undefined;
}

function parametersIn({ parts }: Template): number {
  return parts.filter((part) => part.startsWith('{')).length;
}
