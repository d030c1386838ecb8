import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appRouter } from '@/modules/router';
import { makeDomain, unique } from '@/test/factories';
import { client, expectError, keyClient, sessionClient } from '@/test/rest';
import { routesOf } from './routes';

const ROUTES = routesOf(appRouter);

describe('routing', () => {
  it.each([
    ['GET', '/nothing'],
    ['GET', '/domains/'],
    ['GET', '/Domains'],
    ['POST', '/domains/x/y/z'],
    ['GET', '//domains'],
  ])('answers 404 NOT_FOUND to %s %s, for every caller', async (method, path) => {
    expectError(await client().call(method, path), 404, 'NOT_FOUND');
  });

  it('says that only a slash is too much', async () => {
    const { error } = expectError(await client().call('GET', '/domains/'), 404, 'NOT_FOUND');
    expect(error.message).toBe('Unknown endpoint. Leave out the slash at the end.');
  });

  it('answers 405 with Allow to a known path and another method', async () => {
    const answer = expectError(await client().call('PUT', '/domains'), 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    expectError(await client().call('OPTIONS', '/send'), 405, 'METHOD_NOT_ALLOWED');
  });

  it.each(['%zz', '%00', '..%2f..%2fetc', '%F0%9F', "'; drop table domain; --", '💥'])(
    'answers 400 or 404 to the id %j, never 500',
    async (id) => {
      const api = await keyClient();
      const { status } = await api.get(`/domains/${id.includes('%') ? id : encodeURIComponent(id)}`);
      expect([400, 404]).toContain(status);
    },
  );
});

describe('credentials', () => {
  it.each(ROUTES.filter((route) => route.meta.access).map((route) => [route.method, route.template] as const))(
    '%s %s requires them, whatever the body',
    async (method, template) => {
      const path = template.replaceAll(/\{\w+\}/g, '01a1f000-0000-7000-8000-000000000000');
      const rawBody = method === 'GET' ? undefined : '{ not json';
      expectError(await client().call(method, path, { rawBody }), 401, 'AUTH_REQUIRED');
    },
  );

  it('are asked for as HTTP does, and the error says how to send a key', async () => {
    const { key } = await keyClient();
    const challenge = (await client().get('/domains')).headers.get('www-authenticate');
    expect(challenge).toBe('Bearer realm="Postroom"');
    for (const authorization of [key, `Token ${key}`, `Basic ${btoa(`apikey:${key}`)}`, `Bearer ${key.slice(1)}`]) {
      const { error } = expectError(await client({ authorization }).get('/domains'), 401, 'API_KEY_INVALID');
      expect(error.message).toContain('Authorization: Bearer service_');
    }
    for (const scheme of ['Bearer', 'bearer', 'Bearer '])
      expect((await client({ authorization: `${scheme} ${key}` }).get('/domains')).status).toBe(200);
  });

  it('prefers Bearer over a valid cookie', async () => {
    const { cookie } = await sessionClient();
    expectError(
      await client({ cookie, authorization: 'Bearer service_wrong' }).get('/auth/me'),
      401,
      'API_KEY_INVALID',
    );
  });

  it.each(['Basic abc', 'Bearer', 'Bearer ', 'service_x', 'Bearer a b'])(
    'rejects the header %j',
    async (authorization) => {
      expectError(await client({ authorization }).get('/auth/me'), 401, 'API_KEY_INVALID');
    },
  );
});

describe('bodies', () => {
  it.each(['{', '{"name":}', 'nonsense', '"\\ud800', '{"a":1}{"b":2}'])(
    'answers INVALID_JSON to %j',
    async (rawBody) => {
      const api = await keyClient();
      expectError(await api.call('POST', '/domains', { rawBody }), 400, 'INVALID_JSON');
    },
  );

  it('answers INVALID_JSON to bytes that are not UTF-8', async () => {
    const api = await keyClient();
    const rawBody = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]);
    expectError(await api.call('POST', '/domains', { rawBody }), 400, 'INVALID_JSON');
  });

  it.each(['[]', 'null', ' null\n'])('takes %j for an empty object, as PHP and axios write it', async (rawBody) => {
    const api = await keyClient();
    for (const path of ['/domains', '/send', '/send/batch'])
      expectError(await api.call('POST', path, { rawBody }), 400, 'MISSING_FIELDS');
    const path = '/messages/00000000-0000-7000-8000-000000000000/cancel';
    expectError(await api.call('POST', path, { rawBody }), 404, 'NOT_FOUND');
  });

  it.each(['[{}]', '[[]]', '[null]', '"text"', '1', 'true'])('rejects %s, which is not an object', async (rawBody) => {
    const api = await keyClient();
    expectError(await api.call('POST', '/domains', { rawBody }), 400, 'VALIDATION_ERROR');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonx'])(
    'answers 415 to %s',
    async (type) => {
      const api = await keyClient();
      const send = { rawBody: '{"name":"a.example"}', headers: { 'content-type': type } };
      expectError(await api.call('POST', '/domains', send), 415, 'UNSUPPORTED_MEDIA_TYPE');
    },
  );

  it.each(['gzip', 'br', 'deflate'])('answers 415 to a body that is compressed with %s', async (encoding) => {
    const api = await keyClient();
    const send = {
      rawBody: new Uint8Array([0x1f, 0x8b, 8, 0]),
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    };
    const answer = await api.call('POST', '/domains', send);
    expectError(answer, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expect(answer.error.message).toContain('Content-Encoding');
  });

  it('accepts application/json with a charset', async () => {
    const api = await keyClient();
    const send = {
      rawBody: JSON.stringify({ name: `${unique()}.example` }),
      headers: { 'content-type': 'application/json; charset=utf-8' },
    };
    expect((await api.call('POST', '/domains', send)).status).toBe(201);
  });

  it('accepts 1 MB and rejects one byte more', async () => {
    const api = await keyClient();
    const body = (sizeBytes: number) => `{"name":"x"}${' '.repeat(sizeBytes - 12)}`;
    expectError(await api.call('POST', '/domains', { rawBody: body(1024 * 1024) }), 400, 'VALIDATION_ERROR');
    expectError(await api.call('POST', '/domains', { rawBody: body(1024 * 1024 + 1) }), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('stops reading a chunked body at the limit', async () => {
    const api = await keyClient();
    const chunk = new TextEncoder().encode(' '.repeat(64 * 1024));
    let sent = 0;
    const rawBody = new ReadableStream({
      pull(controller) {
        sent += 1;
        if (sent > 1000) controller.close();
        else controller.enqueue(chunk);
      },
    });
    expectError(await api.call('POST', '/domains', { rawBody }), 413, 'PAYLOAD_TOO_LARGE');
    expect(sent).toBeLessThan(30);
  });

  it('rejects __proto__ as a field', async () => {
    const api = await keyClient();
    const rawBody = `{"name":"${unique()}.example","__proto__":{"active":false}}`;
    const answer = expectError(await api.call('POST', '/domains', { rawBody }), 400, 'VALIDATION_ERROR');
    expect(answer.error.details.fields?.[0]?.path).toBe('__proto__');
  });

  it('answers no 500 to any JSON', async () => {
    const api = await keyClient();
    const writes = ROUTES.filter((route) => route.method !== 'GET' && route.meta.access);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...writes), fc.json(), async (route, rawBody) => {
        const path = route.template.replaceAll(/\{\w+\}/g, '01a1f000-0000-7000-8000-000000000000');
        const { status, error } = await api.call(route.method, path, { rawBody });
        // No mail server is attached.
        if (error?.code !== 'MAIL_STACK_UNAVAILABLE') expect(status).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
  });
});

describe('query parameters', () => {
  it.each(['?colour=red', '?limit=10&limit=20', '?active=1', '?active=yes', '?sort=password', '?order=up', '?id=x'])(
    'rejects %s with VALIDATION_ERROR',
    async (query) => {
      const api = await keyClient();
      expectError(await api.get(`/domains${query}`), 400, 'VALIDATION_ERROR');
    },
  );

  it('takes booleans in any case, as Python writes them', async () => {
    const mark = unique();
    await makeDomain({ name: `${mark}.example` });
    const api = await keyClient();
    const count = async (active: string) => (await api.get(`/domains?q=${mark}&active=${active}`)).data.length;
    expect(await Promise.all(['True', 'TRUE', 'true'].map(count))).toEqual([1, 1, 1]);
    expect(await Promise.all(['False', 'FALSE', 'false'].map(count))).toEqual([0, 0, 0]);
  });

  it.each(['/domains?q=%00', '/messages?q=%00', '/messages?from=a%00b', '/messages?since=0000-01-01T00:00:00Z'])(
    'answers 400 to %s, never 500',
    async (path) => {
      expectError(await (await keyClient()).get(path), 400, 'VALIDATION_ERROR');
    },
  );

  it('rejects them on endpoints without query parameters', async () => {
    const api = await keyClient();
    expectError(await api.post('/domains?dry_run=true', { name: 'a.example' }), 400, 'VALIDATION_ERROR');
  });
});

describe('cross-site requests', () => {
  it('a session can make changes only from the console', async () => {
    const { cookie } = await sessionClient();
    const body = { name: `${unique()}.example` };
    expectError(await client({ cookie }).post('/domains', body), 403, 'FORBIDDEN');
    expectError(await client({ cookie, origin: 'https://evil.example' }).post('/domains', body), 403, 'FORBIDDEN');
    expectError(await client({ cookie, 'sec-fetch-site': 'cross-site' }).post('/domains', body), 403, 'FORBIDDEN');
    const mixed = { cookie, 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' };
    expectError(await client(mixed).post('/domains', body), 403, 'FORBIDDEN');
    expect((await client({ cookie, origin: 'http://localhost:3000' }).post('/domains', body)).status).toBe(201);
  });

  it('an API key needs no origin', async () => {
    const api = await keyClient();
    expect((await api.post('/domains', { name: `${unique()}.example` })).status).toBe(201);
  });
});

describe('limits', () => {
  it("counts a key's requests and reports how many are left", async () => {
    const api = await keyClient({ rateLimit: 3 });
    const first = await api.get('/auth/me');
    expect(first.headers.get('ratelimit-limit')).toBe('3');
    expect(first.headers.get('ratelimit-remaining')).toBe('2');
    await api.get('/auth/me');
    await api.get('/auth/me');
    const refused = expectError(await api.get('/auth/me'), 429, 'RATE_LIMIT_EXCEEDED');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is exact under concurrency', async () => {
    const api = await keyClient({ rateLimit: 10 });
    const answers = await Promise.all(Array.from({ length: 30 }, () => api.get('/auth/me')));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
  });
});

it('HEAD answers like GET without a body', async () => {
  const domain = await makeDomain();
  const api = await keyClient();
  const { createRestHandler } = await import('./dispatch');
  const url = `http://localhost:3000/api/v1/domains/${domain.id}`;
  const response = await createRestHandler(appRouter)(new Request(url, { method: 'HEAD', headers: api.headers }));
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});

it('reveals nothing internal after an unexpected error', async () => {
  const { createRestHandler } = await import('./dispatch');
  const { rest } = await import('./meta');
  const { publicProcedure, router } = await import('../procedures/trpc');
  const { Empty } = await import('@/lib/wire');
  const broken = router({
    test: router({
      boom: publicProcedure(Empty)
        .meta(rest('GET', '/boom', { tag: 'x', summary: 'x', isPublic: true }))
        .query(() => {
          throw new Error('password=hunter2 at table admin');
        }),
    }),
  });
  const response = await createRestHandler(broken)(new Request('http://localhost:3000/api/v1/boom'));
  expect(response.status).toBe(500);
  const text = await response.text();
  expect(text).toContain('INTERNAL_ERROR');
  expect(text).not.toMatch(/hunter2|admin|stack/);
});

it('counts the addresses of one IPv6 network together', async () => {
  const at = (last: string) => client({ 'x-postroom-client-ip': `2001:db8:64:1::${last}` });
  const tries = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((last) =>
    at(last).post('/auth/login', { email: 'a@b.example', password: 'x' }),
  );
  const codes = (await Promise.all(tries)).map((answer) => answer.error.code);
  expect(codes).toContain('RATE_LIMIT_EXCEEDED');
  const elsewhere = await client({ 'x-postroom-client-ip': '2001:db8:64:2::1' }).post('/auth/login', {});
  expectError(elsewhere, 400, 'MISSING_FIELDS');
});

it('an interrupted body is an error, and its share of the budget is freed', async () => {
  const api = await keyClient();
  const rawBody = () =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(90 * 1024 * 1024));
      },
      pull(controller) {
        controller.error(new Error('the client went away'));
      },
    });
  for (let i = 0; i < 4; i++)
    expectError(await api.call('POST', '/send/batch', { rawBody: rawBody() }), 400, 'INVALID_JSON');
});
