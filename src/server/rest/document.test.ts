import { bundleFromString, createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { documentedEvents } from '@/modules/events/documented';
import { appRouter } from '@/modules/router';
import { document } from '@/test/rest';
import { documentResponder } from './document';
import { routesOf } from './routes';

it('passes an OpenAPI 3.1 validator', async () => {
  const result = await new Validator().validate(asObject(document));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
});

it('passes a second, independent validator, with every reference resolved', async () => {
  const source = JSON.stringify(document);
  const config = await createConfig({
    extends: ['minimal'],
    rules: { struct: 'error', 'no-unresolved-refs': 'error' },
  });
  const problems = await lintFromString({ source, config });
  expect(problems.filter((problem) => problem.severity === 'error').map((problem) => problem.message)).toEqual([]);
  const { bundle } = await bundleFromString({ source, config });
  expect(Object.keys((bundle.parsed as { paths: object }).paths)).toEqual(Object.keys(document.paths ?? {}));
});

it('both validators detect a broken document', async () => {
  const broken = { ...structuredClone(document), paths: { '/x': { get: { responses: 'none' } } } };
  expect((await new Validator().validate(asObject(broken))).valid).toBe(false);
  const config = await createConfig({ extends: ['minimal'], rules: { struct: 'error' } });
  expect((await lintFromString({ source: JSON.stringify(broken), config })).length).toBeGreaterThan(0);
});

it('has every route with its actual success status, envelope and error codes', () => {
  for (const route of routesOf(appRouter)) {
    const operation = document.paths?.[route.template]?.[route.method.toLowerCase() as 'get'];
    const responses = operation?.responses as Record<
      string,
      { description: string; content: Record<string, { schema: { properties: object } }> }
    >;
    if (route.meta.rest.redirect) {
      expect(responses[302]).toHaveProperty('headers.Location');
      expect(Object.keys(responses).filter((status) => status < '400')).toEqual(['302']);
      continue;
    }
    if (route.meta.rest.file) {
      expect(Object.keys(responses[200]?.content ?? {})).toEqual([route.meta.rest.file.split(';')[0]]);
      continue;
    }
    const success = responses[route.meta.rest.status];
    expect(Object.keys(success?.content['application/json']?.schema.properties ?? {})).toEqual([
      'data',
      'error',
      'meta',
    ]);
    const successes = Object.keys(responses).filter((status) => status.startsWith('2'));
    const { status: usual, otherStatuses } = route.meta.rest;
    const expected = [usual, ...otherStatuses].filter((status) => status < 300);
    expect(successes).toEqual(expected.map(String));
    expect(responses[500]?.description).toContain('INTERNAL_ERROR');
    if (route.meta.access)
      expect(responses[401]?.description).toMatch(/^AUTH_REQUIRED, SESSION_INVALID, API_KEY_INVALID\b/);
  }
});

it('is served with responses and events that may have new fields, and closed requests', async () => {
  const open = await documentResponder(appRouter, documentedEvents)(new Headers()).json();
  const isClosed = (schema: unknown) => JSON.stringify(schema).includes('"additionalProperties":false');
  expect(isClosed([open.components, open.webhooks])).toBe(false);
  for (const { responses = {} } of Object.values<object>(open.paths).flatMap<{ responses?: object }>(Object.values))
    expect(isClosed(responses)).toBe(false);
  expect(isClosed(open.paths['/send'].post.requestBody)).toBe(true);
  expect(JSON.stringify(open)).not.toContain(
    '"requestBody":{"required":true,"content":{"application/json":{"schema":{"$ref"',
  );
});

it('is served without what generated clients fail on', async () => {
  const served = await documentResponder(appRouter, documentedEvents)(new Headers()).json();
  const schemas = schemasIn(served);
  const formats = new Set(schemas.map(({ format }) => format));
  expect([...formats]).toEqual(expect.arrayContaining(['date-time', 'date', 'uuid', 'email', 'ipv4', 'ipv6', 'uri']));
  // These two are no formats of JSON Schema.
  const withPattern = schemas.filter(({ format, pattern }) => pattern !== undefined && format !== undefined);
  expect(withPattern.map(({ format }) => format)).toEqual(['cidrv4', 'cidrv6']);

  const integers = schemas.filter(({ type }) => type === 'integer');
  const isWide = ({ maximum = Number.POSITIVE_INFINITY }) => maximum > 2 ** 31 - 1;
  expect(integers.some(isWide)).toBe(true);
  for (const integer of integers) expect(integer.format).toBe(isWide(integer) ? 'int64' : undefined);
  expect(JSON.stringify(served)).not.toContain(String(Number.MAX_SAFE_INTEGER));
});

it('has bytes in place of text where a file isn’t text', () => {
  const files = routesOf(appRouter).flatMap(({ template, meta: { rest } }) => {
    const type = rest.file?.split(';')[0];
    return type ? [{ type, schema: document.paths?.[template]?.get?.responses?.[200]?.content?.[type]?.schema }] : [];
  });
  const bytes = files.filter(({ schema }) => schema.format === 'binary').map(({ type }) => type);
  expect(new Set(bytes)).toEqual(new Set(['application/octet-stream', 'message/rfc822']));
  const texts = files.filter(({ type }) => !bytes.includes(type));
  expect(new Set(texts.map(({ type }) => type))).toEqual(new Set(['text/csv', 'text/dns', 'application/x-ndjson']));
  for (const { schema } of texts) expect(schema).toEqual({ type: 'string' });
});

it('lists the errors of sending', () => {
  const responses = document.paths?.['/send']?.post?.responses as Record<string, { description: string }>;
  expect(responses[403]?.description).toBe(
    'FORBIDDEN, DOMAIN_NOT_FOUND, API_KEY_DOMAIN_SCOPE, DOMAIN_INACTIVE, MAILBOX_SUSPENDED',
  );
  expect(responses[503]?.description).toBe('SERVICE_UNAVAILABLE, SEND_UNAVAILABLE');
});

type Described = { type?: string; format?: string; pattern?: string; maximum?: number };

/** Every object in the document whose format is text, or which has none. */
function schemasIn(part: unknown): Described[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.values(part).flatMap(schemasIn);
  const { format } = part as { format?: unknown };
  return format === undefined || typeof format === 'string' ? [part, ...inner] : inner;
}

function asObject(value: object) {
  return structuredClone(value) as Record<string, unknown> & { openapi: string };
}
