import { beforeAll, describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { makeAdmin, makeApiKey, makeSession } from '@/test/factories';
import { setSettings } from '@/test/settings';
import { createRestHandler } from '../rest/dispatch';
import '@/test/database';
import type { WebResponse } from './fetch-adapter';

const LISTED = 'https://app.example.com';
const UNLISTED = 'https://evil.example.com';
const BASE = 'http://localhost:3000/api/v1';

const handle = createRestHandler(appRouter);

const call = (path: string, method: string, headers: Record<string, string> = {}) =>
  handle(new Request(`${BASE}${path}`, { method, headers }));

const ask = (path: string, origin: string, method = 'POST') =>
  call(path, 'OPTIONS', {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,content-type',
  });

const corsHeadersOf = (response: WebResponse) =>
  [...response.headers.keys()].filter((name) => name.startsWith('access-control-') || name === 'vary');

describe('without CORS_ORIGINS', () => {
  beforeAll(() => setSettings({ CORS_ORIGINS: '' }));

  it('no response has a CORS header', async () => {
    for (const response of [
      await call('/health', 'GET', { origin: LISTED }),
      await call('/nothing', 'GET', { origin: LISTED }),
      await handle(new Request(`${BASE}/openapi.json`, { headers: { origin: LISTED } })),
    ]) {
      expect(corsHeadersOf(response)).toEqual([]);
    }
  });

  it('a preflight is rejected like any unsupported method', async () => {
    const response = await ask('/domains', LISTED);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, POST');
    expect(corsHeadersOf(response)).toEqual([]);
  });
});

describe('with CORS_ORIGINS', () => {
  beforeAll(() => setSettings({ CORS_ORIGINS: `${LISTED},http://localhost:5173` }));

  it('answers the preflight of a listed origin with the allowed headers and methods', async () => {
    const response = await ask('/domains', LISTED);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(Object.fromEntries(corsHeadersOf(response).map((name) => [name, response.headers.get(name)]))).toEqual({
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key, If-Match',
      'access-control-allow-methods': 'GET, HEAD, POST',
      'access-control-allow-origin': LISTED,
      'access-control-max-age': '600',
      vary: 'Origin',
    });
  });

  it.each([UNLISTED, 'null', `${LISTED}.evil.example`, 'https://app.example.com:8443', 'http://app.example.com'])(
    'lets no page of %s read a response',
    async (origin) => {
      const refused = await ask('/domains', origin);
      expect(refused.status).toBe(405);
      expect(corsHeadersOf(refused)).toEqual(['vary']);
      expect(corsHeadersOf(await call('/health', 'GET', { origin }))).toEqual(['vary']);
    },
  );

  it('answers 404 to the preflight of an unknown route, and 405 to other OPTIONS requests', async () => {
    expect((await ask('/nothing', LISTED)).status).toBe(404);
    expect((await call('/domains', 'OPTIONS', { origin: LISTED })).status).toBe(405);
  });

  it('lets a page with an API key read responses, including errors', async () => {
    const { key } = await makeApiKey((await makeAdmin()).id);
    const authorization = `Bearer ${key}`;
    for (const [path, status] of [
      ['/domains', 200],
      ['/domains?colour=red', 400],
      ['/nothing', 404],
    ] as const) {
      const response = await call(path, 'GET', { origin: LISTED, authorization });
      expect(response.status).toBe(status);
      expect(response.headers.get('access-control-allow-origin')).toBe(LISTED);
      expect(response.headers.get('access-control-expose-headers')).toBe(
        'X-Request-Id, ETag, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Location, X-Row-Limit, X-Row-Limit-Reached',
      );
      expect(response.headers.get('vary')).toBe('Origin');
    }
  });

  it('never allows credentials, and a session changes nothing from a listed origin', async () => {
    const { cookie } = await makeSession((await makeAdmin()).id);
    const response = await handle(
      new Request(`${BASE}/domains`, {
        method: 'POST',
        headers: { cookie, origin: LISTED, 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' },
        body: '{"name":"cors.example"}',
      }),
    );
    expect(response.status).toBe(403);
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });

  it('declares to caches that responses vary by origin', async () => {
    expect(corsHeadersOf(await call('/health', 'GET'))).toEqual(['vary']);
  });

  it('covers the OpenAPI document', async () => {
    const headers = { origin: LISTED, 'access-control-request-method': 'GET' };
    const document = await handle(new Request(`${BASE}/openapi.json`, { headers }));
    expect(document.headers.get('access-control-allow-origin')).toBe(LISTED);
    const asked = await handle(new Request(`${BASE}/openapi.json`, { method: 'OPTIONS', headers }));
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
  });
});
