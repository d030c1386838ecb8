import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { expect, test, unique, url } from '../support/fixtures';

/** Tests of the HTTP server in front of Next.js, at the wire. */
const { port } = new URL(process.env.E2E_URL ?? 'http://localhost');
/** The browsers' address is that of a trusted proxy. */
const ENDPOINT = { port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.2' };
const MIB = 1024 * 1024;

async function open(): Promise<Socket> {
  const socket = connect(ENDPOINT);
  await once(socket, 'connect');
  return socket;
}

/** Sends raw bytes and returns everything received until the server closes the connection. */
async function exchange(bytes: string): Promise<string> {
  const socket = await open();
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

const request = (target: string, headers: string[] = [], method = 'GET') =>
  `${[`${method} ${target} HTTP/1.1`, `Host: localhost:${port}`, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

const statusOf = (answer: string) => Number(answer.split(' ')[1]);
const envelopeOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));

test('pages have the security headers, and allow scripts only with the nonce of the response', async ({
  request: http,
}) => {
  const response = await http.get(`${url()}/login`);
  const headers = response.headers();
  const policy = headers['content-security-policy'] ?? '';
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("script-src 'self' 'unsafe-inline'");
  expect(headers['x-content-type-options']).toBe('nosniff');
  const scripts = (await response.text()).match(/<script[^>]*>/g) ?? [];
  expect(scripts.length).toBeGreaterThan(3);
  for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
  const again = await http.get(`${url()}/login`);
  expect(again.headers()['content-security-policy']).not.toBe(policy);
});

test('rejects an absolute request target, TRACE and CONNECT', async () => {
  expect(statusOf(await exchange(request('http://evil.example/api/v1/health')))).toBe(400);
  expect([400, 405, 501]).toContain(statusOf(await exchange(request('/api/v1/health', [], 'TRACE'))));
  expect([400, 405, 501]).toContain(statusOf(await exchange(request('evil.example:443', [], 'CONNECT'))));
});

test('answers 400 to bytes that are not HTTP, and keeps serving', async () => {
  expect(statusOf(await exchange('nonsense\r\n\r\n'))).toBe(400);
  expect(statusOf(await exchange(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`))).toBe(431);
  expect(statusOf(await exchange(request('/api/v1/health')))).toBe(200);
});

for (const target of [
  '/%zz',
  '/%00',
  '//evil.example',
  '/\\evil.example',
  '/api/v1/%zz',
  '/api/v1/domains/%2e%2e',
  '/.%2e/.%2e/etc/passwd',
  '/api/../login',
  '/_global-error',
  '/_next/image?url=%2Fapi%2Fv1%2Fx%0Aforged&w=640&q=75',
  '/api/v1',
  '/API/v1/health',
  `/${'a'.repeat(8000)}`,
]) {
  test(`${target.slice(0, 40)} causes no 500 and no redirect to another site`, async () => {
    const answer = await exchange(request(target));
    expect(statusOf(answer)).toBeLessThan(500);
    expect(answer).not.toMatch(/\r\nlocation: (https?:)?\/\/evil/i);
  });
}

test('pages reject POST, however the path is written, and the image optimizer fetches nothing', async () => {
  for (const target of ['/login', '/domains', '/api/../login', '/api/%2e%2e/login']) {
    // The form of /login leads back to its page.
    expect(target === '/login' ? [303] : [400, 405]).toContain(
      statusOf(await exchange(request(target, ['Next-Action: x', 'Content-Length: 0'], 'POST'))),
    );
  }
  expect(statusOf(await exchange(request('/_next/image?url=%2Ficon.svg&w=640&q=75')))).toBe(404);
});

test('the OpenAPI document and the API root answer other methods and paths in the envelope', async () => {
  const posted = await exchange(request('/api/v1/openapi.json', ['Content-Length: 0'], 'POST'));
  expect(envelopeOf(posted).error.code).toBe('METHOD_NOT_ALLOWED');
  expect(envelopeOf(await exchange(request('/api/v1'))).error.code).toBe('NOT_FOUND');
});

test('closes a connection that never sends its request, even if the client ignores that', async () => {
  const socket = connect({ ...ENDPOINT, allowHalfOpen: true });
  await once(socket, 'connect');
  socket.resume();
  socket.write('GET / HTTP/1.1\r\nHost: loc');
  await once(socket, 'end', { signal: AbortSignal.timeout(30_000) });
  // Only a write shows that the server has closed, because this side is still open.
  const writing = setInterval(() => socket.write('x'), 200);
  const [error] = await once(socket, 'error', { signal: AbortSignal.timeout(10_000) });
  clearInterval(writing);
  expect(error.code).toMatch(/EPIPE|ECONNRESET/);
});

test('a client that pipelines requests and reads no responses is disconnected, and others are served', async () => {
  const sockets = await Promise.all(Array.from({ length: 20 }, () => open()));
  const closed = sockets.map((socket) => once(socket.on('error', () => {}).pause(), 'close'));
  for (const socket of sockets) socket.write(`GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(1_200));
  expect(statusOf(await exchange(request('/api/v1/health')))).toBe(200);
  for (const socket of sockets) socket.resume();
  await Promise.all(closed);
  // Without a limit, each would have received 1,200 times 400 kB.
  for (const socket of sockets) expect(socket.bytesRead).toBeLessThan(8 * MIB);
});

test('a client cannot choose its own address', async ({ api, domain }) => {
  const forged = [
    'X-Postroom-Client-Ip: 203.0.113.9',
    'X-Forwarded-For: 203.0.113.9',
    `Authorization: Bearer ${api.key}`,
  ];
  const body = JSON.stringify({ description: unique() });
  const head = request(
    `/api/v1/domains/${domain.id}`,
    [...forged, 'Content-Type: application/json', `Content-Length: ${body.length}`],
    'PATCH',
  );
  expect(statusOf(await exchange(head + body))).toBe(200);
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  const { rows } = await client.query('SELECT DISTINCT ip_address FROM audit_entry WHERE resource = $1', [
    `domain:${domain.id}`,
  ]);
  await client.end();
  expect(rows.map((row) => row.ip_address)).not.toContain('203.0.113.9');
  expect(rows.length).toBeGreaterThan(0);
});

const chunkedHead = (key: string) =>
  request(
    '/api/v1/domains',
    [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
    'POST',
  );
const bodyChunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`;

test('rejects a chunked body over the limit while it is still arriving', async ({ api }) => {
  const socket = await open();
  let answer = '';
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.includes('"meta"')) resolve();
    });
  });
  socket.on('error', () => {});
  socket.write(chunkedHead(api.key));
  // Just over 1 MB and no last chunk: a server that waits for the whole body would hang.
  for (let chunks = 0; chunks < 17; chunks += 1) socket.write(bodyChunk);
  await answered;
  socket.destroy();
  expect(statusOf(answer)).toBe(413);
  expect(envelopeOf(answer).error.code).toBe('PAYLOAD_TOO_LARGE');
});

test('a client that writes endlessly gets 413 and is disconnected soon after', async ({ api }) => {
  const socket = connect({ ...ENDPOINT, allowHalfOpen: true });
  await once(socket, 'connect');
  let answer = '';
  let fault: string | undefined;
  socket.pause().on('data', (chunk) => {
    answer += chunk.toString('latin1');
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    fault = error.code;
  });
  const happens = (event: string) => new Promise<unknown>((resolve) => socket.once(event, resolve));
  const closed = happens('close');
  const writeUntil = async (isEnough: () => boolean) => {
    while (!isEnough() && !socket.destroyed) {
      if (!socket.write(bodyChunk)) await Promise.race([happens('drain'), closed]);
    }
  };
  socket.write(chunkedHead(api.key));
  // More than both sides' buffers hold, so the server must keep reading after it has rejected the body.
  await writeUntil(() => socket.bytesWritten > 24 * MIB);
  expect(fault).toBeUndefined();
  socket.resume();
  await happens('end');
  expect(statusOf(answer)).toBe(413);
  expect(envelopeOf(answer).error.code).toBe('PAYLOAD_TOO_LARGE');
  await writeUntil(() => false);
  await closed;
  expect(fault).toMatch(/EPIPE|ECONNRESET/);
  expect(socket.bytesWritten).toBeLessThan(128 * MIB);
});

test('does not read the message body of an unauthenticated request', async () => {
  const answer = await exchange(
    request(
      '/api/v1/send',
      ['Content-Type: application/json', 'Content-Length: 50000000', 'Expect: 100-continue'],
      'POST',
    ),
  );
  expect(answer).toMatch(/401/);
});

test('a protected page leads to sign-in and back', async ({ page, check }) => {
  await page.goto(`${url()}/domains`);
  await expect(page).toHaveURL(/\/login/);
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await check();
});

test('a page is compressed, and no proxy may rewrite it', async () => {
  const { headers } = await fetch(`${url()}/login`);
  expect(headers.get('content-encoding')).toBe('gzip');
  expect(headers.get('cache-control')).toMatch(/\bno-store, .*\bno-transform$/);
});
