import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import type { WebHandler } from './fetch-adapter';
import { serveHttp } from './http-server';

let close: (() => Promise<void>) | undefined;

afterEach(async () => {
  await close?.();
});

/** A server whose API is `api`. @returns a function that sends a request to it */
async function serving(api: WebHandler, over: Partial<Parameters<typeof serveHttp>[1]> = {}) {
  const server = createServer();
  close = serveHttp(server, {
    appUrl: 'https://mail.example.com',
    trustedProxies: [],
    isDev: false,
    findApiHandler: (path) => (path.startsWith('/api/v1/') ? api : undefined),
    findPublishedHandler: () => undefined,
    servePage: async (_request, response) => {
      response.end('a page');
    },
    redirectOf: async () => null,
    countRequest: async () => ({ count: 1, resetMs: 60_000 }),
    refusalOf: () => null,
    observe: () => {},
    ...over,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return (path: string, options: RequestOptions = {}) =>
    httpRequest({
      host: '127.0.0.1',
      port,
      path,
      ...options,
      headers: Array.isArray(options.headers) ? options.headers : { connection: 'close', ...options.headers },
    });
}

const responseTo = async (request: ReturnType<typeof httpRequest>): Promise<IncomingMessage> => {
  const [response] = await once(request.end(), 'response');
  return response;
};

it('gives API paths to the API and everything else to the pages', async () => {
  const send = await serving(async ({ url }) => new Response(new URL(url).search));
  expect(await text(await responseTo(send('/api/v1/domains?q=%C3%BC')))).toBe('?q=%C3%BC');
  expect(await text(await responseTo(send('/apiary')))).toBe('a page');
});

it('has browsers use https for its own host only, and not for hosts that it publishes files for', async () => {
  const send = await serving(async () => new Response('the API'), {
    findPublishedHandler: (_, path) => (path === '/file' ? async () => new Response('a file') : undefined),
  });
  const hsts = async (path: string) => (await responseTo(send(path))).headers['strict-transport-security'];
  expect(await Promise.all(['/', '/api/v1/domains', '/file'].map(hsts))).toEqual([
    'max-age=31536000',
    'max-age=31536000',
    undefined,
  ]);
});

it.each(['/api/v2/domains', '/API/v1/domains', '/Api', '/api/', '/api/cron/other', '/api?x=1'])(
  'answers %s, which is no endpoint, in the envelope of the API',
  async (path) => {
    const send = await serving(async () => new Response('the API'));
    const response = await responseTo(send(path));
    expect([response.statusCode, response.headers['content-type']]).toEqual([404, 'application/json']);
    expect(JSON.parse(await text(response))).toMatchObject({ data: null, error: { code: 'NOT_FOUND' } });
  },
);

it.each([
  ['//api/v1/send', 'Unknown endpoint. Write single slashes in the path.'],
  ['/api/v1//send?a=1', 'Unknown endpoint. Write single slashes in the path.'],
  ['///Api//v1', 'Unknown endpoint. Write single slashes in the path.'],
  ['/API/v1/send', 'Unknown endpoint. The API is at /api/v1, in lower case.'],
  ['/Api', 'Unknown endpoint. The API is at /api/v1, in lower case.'],
])('answers any method of %s in JSON, with what to change, and calls nothing', async (path, message) => {
  const send = await serving(async () => new Response('the API'));
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
    const response = await responseTo(send(path, { method }));
    expect([response.statusCode, response.headers['content-type']]).toEqual([404, 'application/json']);
    expect(JSON.parse(await text(response)).error).toMatchObject({ code: 'NOT_FOUND', message });
  }
});

it.each(['/login?next=%2Faccount', '/setup'])(
  'leads back to the page for a form that a browser sends to %s',
  async (path) => {
    const send = await serving(async () => new Response('the API'));
    const response = await responseTo(send(path, { method: 'POST' }));
    expect([response.statusCode, response.headers.location]).toEqual([303, path]);
  },
);

it.each(['//apis', '/apis', '/logins', '//'])('allows only the methods of pages for %s', async (path) => {
  const send = await serving(async () => new Response('the API'));
  const response = await responseTo(send(path, { method: 'POST' }));
  expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD']);
});

it('rejects a request with two hosts', async () => {
  const send = await serving(async () => new Response('the API'));
  for (const headers of [
    ['Host', 'a.example', 'Host', 'a.example'],
    ['host', 'a.example', 'X-A', '1', 'HOST', 'b.example'],
  ]) {
    const response = await responseTo(send('/api/v1/domains', { headers: [...headers, 'Connection', 'close'] }));
    expect(response.statusCode).toBe(400);
  }
});

it('tells the API the address of the connection, whatever the client claims', async () => {
  const send = await serving(async ({ headers }) => Response.json([...headers.entries()]));
  const claims = {
    'X-Postroom-Client-Ip': '203.0.113.9',
    'X-Forwarded-For': '203.0.113.9',
    Forwarded: 'for=203.0.113.9',
  };
  const seen = await text(await responseTo(send('/api/v1/me', { headers: claims })));
  expect(seen).not.toContain('203.0.113.9');
  expect(JSON.parse(seen)).toContainEqual(['x-postroom-client-ip', '127.0.0.1']);
});

it('sends each cookie as a header of its own, and the length of a body in one piece', async () => {
  const send = await serving(async () => {
    const headers = new Headers([
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ]);
    return new Response('größer', { status: 201, headers });
  });
  const response = await responseTo(send('/api/v1/cookies'));
  expect(response.statusCode).toBe(201);
  expect(response.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  expect(response.headers['content-length']).toBe('8');
});

it('delivers the response of an API that does not read the body', async () => {
  const send = await serving(async () => new Response('too large', { status: 413 }));
  const request = send('/api/v1/send', { method: 'POST' });
  request.on('error', () => {});
  request.write(Buffer.alloc(4 * 1024 * 1024));
  const [response] = await once(request, 'response');
  expect(response.statusCode).toBe(413);
  expect(await text(response)).toBe('too large');
});

it('reads a body only as fast as the API does', async () => {
  let readBytes = 0;
  const send = await serving(async ({ body }) => {
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    readBytes = value?.byteLength ?? 0;
    return new Response('enough');
  });
  const request = send('/api/v1/send', { method: 'POST' });
  request.on('error', () => {});
  request.write(Buffer.alloc(8 * 1024 * 1024));
  const [response] = await once(request, 'response');
  await text(response);
  expect(readBytes).toBeGreaterThan(0);
  expect(readBytes).toBeLessThan(1024 * 1024);
});

it('stops producing a body whose client disconnected', async () => {
  let reportCancel = () => {};
  const cancelled = new Promise<void>((resolve) => {
    reportCancel = resolve;
  });
  const chunk = new Uint8Array(64 * 1024);
  const send = await serving(
    async () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(chunk),
          cancel: () => reportCancel(),
        }),
      ),
  );
  const response = await responseTo(send('/api/v1/export'));
  response.on('error', () => {});
  response.destroy();
  await cancelled;
});

it('breaks the connection when a body fails midway, so that a part is not taken for the whole', async () => {
  let sentChunks = 0;
  const send = await serving(
    async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sentChunks += 1;
            if (sentChunks > 3) throw new Error('the database is away');
            controller.enqueue(new TextEncoder().encode('row\n'));
          },
        }),
      ),
  );
  await expect(responseTo(send('/api/v1/export')).then(text)).rejects.toThrow(/aborted|socket hang up/);
});

it('answers 500 in the envelope to an unexpected error', async () => {
  const send = await serving(async () => {
    throw new Error('a bug');
  });
  const response = await responseTo(send('/api/v1/domains'));
  expect(response.statusCode).toBe(500);
  expect(JSON.parse(await text(response))).toMatchObject({ data: null, error: { code: 'INTERNAL_ERROR' } });
});

it('refuses a page beyond the limit of an address before it is rendered, and passes the count on to the API', async () => {
  let isRendered = false;
  const send = await serving(async ({ headers }) => new Response(headers.get('x-postroom-request-count')), {
    servePage: async () => {
      isRendered = true;
    },
    countRequest: async (ip) => ({ count: ip === '127.0.0.1' ? 7 : 0, resetMs: 1_500 }),
    refusalOf: ({ count }) =>
      count > 6
        ? { status: 429, code: 'RATE_LIMIT_EXCEEDED', message: 'Too many.', headers: { 'Retry-After': '2' } }
        : null,
  });
  for (const path of ['/login', '/_next/static/a.js', '/nothing', '/api/other']) {
    const response = await responseTo(send(path));
    expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '2']);
  }
  expect(isRendered).toBe(false);
  const forged = { 'X-Postroom-Request-Count': '0 0' };
  expect(await text(await responseTo(send('/api/v1/domains', { headers: forged })))).toBe('7 1500');
});
