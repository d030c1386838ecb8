import type { AnyTRPCRouter } from '@trpc/server';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { z } from 'zod';
import { createDocument, type ZodOpenApiPathItemObject } from 'zod-openapi';
import { ERROR_STATUS, type ErrorCode } from '@/lib/error-codes';
import { Total } from '@/lib/wire';
import packageJson from '../../../package.json';
import { SESSION_COOKIE } from '../secrets/credentials';
import { env } from '../settings/env';
import { forGeneratedClients } from './generated-clients';
import { type Route, routesOf } from './routes';
import { type Document, type OperationAccess, requiredRole, setServedDocument } from './served-document';

type Operation = Record<string, unknown> & {
  responses: Record<string, unknown>;
  security?: object[];
  description?: string;
  requestBody?: { content: Record<string, { schema: object }> };
  'x-access'?: OperationAccess;
  'x-confirmation'?: string | null;
};

const Meta = z
  .object({
    request_id: z.uuid().meta({ description: 'UUIDv7 of the request' }),
    timestamp: z.iso.datetime(),
    pagination: z.null(),
  })
  .meta({ id: 'Meta' });

const PageMeta = Meta.extend({
  pagination: z.object({ next_cursor: z.string(), has_more: z.boolean(), total: Total }),
}).meta({ id: 'PageMeta' });

const ErrorBody = z
  .object({
    data: z.null(),
    error: z.object({
      code: z.string().meta({ description: 'Machine-readable code' }),
      message: z.string().meta({ description: 'Human-readable message. Programs compare `code`' }),
      details: z.record(z.string(), z.unknown()).nullable(),
    }),
    meta: Meta,
  })
  .meta({ id: 'Error' });

/** The requests that the API itself makes, by the names of the events. */
export type Webhooks = Record<string, ZodOpenApiPathItemObject>;

/** Serves the OpenAPI document of the router, which is generated once. */
export function documentResponder(router: AnyTRPCRouter, webhooks: () => Webhooks): (headers: Headers) => Response {
  let document: Document | undefined;
  let text: string | undefined;
  const generate = () => {
    document ??= forGeneratedClients(openApiDocument(router, env().appUrl, webhooks()));
    return document;
  };
  setServedDocument(generate);
  return (headers) => {
    text ??= JSON.stringify(generate());
    headers.set('Content-Type', 'application/json');
    return new Response(text, { headers });
  };
}

/** The OpenAPI 3.1 document: envelope, actual statuses and error codes of every operation. */
export function openApiDocument(router: AnyTRPCRouter, appUrl: string, webhooks: Webhooks = {}): Document {
  const routes = routesOf(router);
  const document = generateOpenApiDocument(withEnvelope(router, routes), {
    title: 'Postroom API',
    description: 'Every response has the same envelope: `data`, `error` and `meta`.',
    version: packageJson.version,
    openApiVersion: '3.1.0',
    baseUrl: `${appUrl}/api/v1`,
    securitySchemes: {
      api_key: { type: 'http', scheme: 'bearer', description: 'An API key, `service_…`' },
      session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE, description: 'Set by POST /auth/login' },
    },
    defs: { Error: ErrorBody },
  });
  document.info.license = { name: 'MIT', identifier: 'MIT' };
  restoreDeletePaths(document, routes);
  for (const route of routes) {
    const operation = document.paths?.[route.template]?.[route.method.toLowerCase() as 'get'];
    if (operation) describe(operation as unknown as Operation, route);
  }
  addWebhooks(document, webhooks);
  return document;
}

function addWebhooks(document: Document, webhooks: Webhooks): void {
  const { title, version } = document.info;
  const { webhooks: described, components } = createDocument({ openapi: '3.1.0', info: { title, version }, webhooks });
  document.webhooks = described;
  document.components = {
    ...document.components,
    schemas: { ...components?.schemas, ...document.components?.schemas },
  };
}

/** The procedures with the envelope around their output, for the generator only. */
function withEnvelope(router: AnyTRPCRouter, routes: Route[]): never {
  const procedures = Object.fromEntries(
    routes.map((route) => {
      const { procedure: name, meta, input } = route;
      const procedure = router._def.procedures[name];
      const output = procedure._def.output as z.ZodObject;
      const data = meta.rest.file ? z.null() : meta.rest.isPaginated ? (output.shape.items as z.ZodType) : output;
      const envelope = z.object({ data, error: z.null(), meta: meta.rest.isPaginated ? PageMeta : Meta });
      const openapi = { ...meta.openapi, ...temporaryPostOf(route), errorResponses: [] };
      return [name, { _def: { ...procedure._def, inputs: [input], output: envelope, meta: { ...meta, openapi } } }];
    }),
  );
  return { _def: { procedures } } as never;
}

// The generator turns a DELETE body into query parameters, so it gets a POST at a temporary path instead.
const CARRIER = '/~delete';

function temporaryPostOf({ method, template, input }: Route) {
  const hasBody = Object.keys(input.shape).some((name) => !template.includes(`{${name}}`));
  return method === 'DELETE' && hasBody ? { method: 'POST' as const, path: `${template}${CARRIER}` as const } : {};
}

function restoreDeletePaths(document: Document, routes: Route[]): void {
  const paths = document.paths ?? {};
  for (const { template } of routes) {
    const carrier = paths[`${template}${CARRIER}`]?.post;
    if (!carrier) continue;
    delete paths[`${template}${CARRIER}`];
    paths[template] = { ...paths[template], delete: carrier };
  }
}

function describe(operation: Operation, route: Route): void {
  const { meta, method, input, template } = route;
  const { status, otherStatuses, redirect, file } = meta.rest;
  for (const other of otherStatuses) operation.responses[other] = operation.responses[200];
  if (status !== 200) {
    operation.responses[status] = redirect ? REDIRECTION : operation.responses[200];
    delete operation.responses[200];
  }
  if (file) operation.responses[status] = fileResponse(file.split(';')[0] as string);
  if (meta.versioned && method !== 'DELETE') {
    operation.responses[status] = { ...(operation.responses[status] as object), headers: ENTITY_TAG };
  }
  operation.security ??= [];
  if (meta.access && meta.access !== 'domain_admin') {
    operation.description = [operation.description, requiredRole(meta.access)].filter(Boolean).join(' ');
  }
  const access = accessOf(route);
  if (access) operation['x-access'] = access;
  const { confirmation = '' } = meta;
  if (method !== 'GET' && !meta.isReading) operation['x-confirmation'] = confirmation;
  // The generator keeps the examples of fields, not those of the whole body.
  const { examples } = input.meta() ?? {};
  const body = operation.requestBody?.content['application/json'];
  if (examples && body) body.schema = { ...body.schema, examples };
  for (const [code, codes] of Object.entries(errorCodes(meta, method, input, template))) {
    operation.responses[code] = errorResponse(codes);
  }
}

function fileResponse(type: string): object {
  const isText = type.startsWith('text/') || type === 'application/x-ndjson';
  return {
    description: 'A file',
    content: { [type]: { schema: { type: 'string', ...(!isText && { format: 'binary' }) } } },
  };
}

function accessOf({ meta, isMutation }: Route): OperationAccess | undefined {
  const { access: role, permission = isMutation ? 'manage' : 'read', isOpenToScopedKeys, isSessionOnly } = meta;
  if (!role) return undefined;
  return { role, permission, scoped_keys: isOpenToScopedKeys ?? false, session_only: isSessionOnly ?? false };
}

const REDIRECTION = {
  description: 'Redirection',
  headers: {
    Location: { description: 'Redirect target', required: true, schema: { type: 'string', format: 'uri-reference' } },
  },
};

const ENTITY_TAG = {
  ETag: { description: 'The version of the record, for `If-Match`', required: true, schema: { type: 'string' } },
};

/** The codes implied by access, path, input and method, plus those of the operation. */
function errorCodes(
  meta: Route['meta'],
  method: string,
  input: z.ZodObject,
  template: string,
): Record<string, ErrorCode[]> {
  const codes: ErrorCode[] = ['INTERNAL_ERROR', 'VALIDATION_ERROR'];
  const fields = Object.keys(input.shape);
  if (meta.rest.isPaginated) codes.push('INVALID_PAGINATION');
  if (method !== 'GET') codes.push('INVALID_JSON', 'UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE');
  const isRequired = fields.some(
    (name) => !template.includes(`{${name}}`) && !input.shape[name].safeParse(undefined).success,
  );
  if (isRequired) codes.push('MISSING_FIELDS');
  if (meta.access) codes.push('AUTH_REQUIRED', 'SESSION_INVALID', 'API_KEY_INVALID', 'FORBIDDEN');
  if (template.includes('{id}')) codes.push('NOT_FOUND');
  const namesDomain = fields.includes('domain_id');
  if (namesDomain) codes.push('DOMAIN_NOT_FOUND');
  if (meta.isSessionOnly) codes.push('CONFLICT');
  else if (meta.access && (namesDomain || !meta.isOpenToScopedKeys)) codes.push('API_KEY_DOMAIN_SCOPE');
  if (!meta.isUnlimited) codes.push('RATE_LIMIT_EXCEEDED');
  if (meta.access || method !== 'GET') codes.push('SERVICE_UNAVAILABLE');
  if (meta.versioned && method !== 'GET') codes.push('VERSION_CONFLICT');
  const byStatus: Record<string, ErrorCode[]> = {};
  for (const code of codes) add(byStatus, ERROR_STATUS[code], code);
  for (const [status, more] of Object.entries(meta.rest.errors)) {
    for (const code of more ?? []) add(byStatus, status, code);
  }
  return byStatus;
}

function add(byStatus: Record<string, ErrorCode[]>, status: string | number, code: ErrorCode): void {
  byStatus[status] ??= [];
  if (!byStatus[status]?.includes(code)) byStatus[status]?.push(code);
}

function errorResponse(codes: ErrorCode[]): object {
  const narrowed = { type: 'object', properties: { error: { type: 'object', properties: { code: { enum: codes } } } } };
  const schema = { allOf: [{ $ref: '#/components/schemas/Error' }, narrowed] };
  return { description: codes.join(', '), content: { 'application/json': { schema } } };
}
