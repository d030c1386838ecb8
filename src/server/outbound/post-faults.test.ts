import { createServer as createTcpServer, type Socket } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  expectAllClosed,
  type FaultyServer,
  flood,
  later,
  listen,
  repeat,
  reset,
  type Script,
  startServer,
  trickle,
} from '@/test/servers/faulty-server';
import { testCertificate } from '@/test/servers/https-receiver';
import { type OutboundOptions, type OutboundRequest, postOnce } from './post';

const MB = 1024 * 1024;

const OK = 'HTTP/1.1 200 OK\r\n';

describe('an endpoint that breaks HTTP', () => {
  const scripts: [name: string, text: string][] = [
    ['garbage', '\0\x01\x02\xff\xfe\r\n\r\n\0'],
    ['the banner of another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['an invalid status line', 'HTTP/1.1 abc\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 No\r\nContent-Length: 0\r\n\r\n'],
    ['a header without a colon', `${OK}no colon here\r\n\r\n`],
    ['a NUL in a header', `${OK}X-A: a\0b\r\n\r\n`],
    ['an invalid length', `${OK}Content-Length: many\r\n\r\n`],
    ['two lengths', `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ['a length and chunks', `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a chunk without a size', `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`],
    ['a chunk longer than it says', `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nhello\r\n`],
    ['a protocol switch', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
    ['HTTP/2', '\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x64'],
  ];

  it.each(scripts)('with %s is an invalid response', async (_name, text) => {
    const server = await startServer((socket) => socket.write(text, 'latin1'));
    expect(await post(server)).toMatchObject({ outcome: 'failed', reason: 'bad_answer', remoteAddress: '127.0.0.1' });
    await expectAllClosed(server);
  });
});

describe('an endpoint that closes the connection', () => {
  const scripts: [name: string, Script][] = [
    ['without a response', (socket) => socket.destroy()],
    ['gracefully without a response', (socket) => socket.end()],
    ['with a reset', reset],
    ['in the middle of the head', (socket) => socket.end(`${OK}Content-Le`)],
    ['after an informational response', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n')],
    ['in the middle of a body', (socket) => socket.end(`${OK}Content-Length: 100\r\n\r\nhello`)],
    ['in the middle of the chunks', (socket) => socket.end(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`)],
    [
      'with a reset in the middle of a body',
      (socket) => {
        socket.write(`${OK}Content-Length: 100\r\n\r\nhello`, () => setTimeout(reset, 20, socket));
      },
    ],
  ];

  it.each(scripts)('%s is a broken request', async (_name, script) => {
    const server = await startServer(script);
    expect(await post(server)).toMatchObject({ outcome: 'failed', reason: 'broken', remoteAddress: '127.0.0.1' });
    await expectAllClosed(server);
  });

  it('at the end of a body without a length has responded', async () => {
    const server = await startServer((socket) => socket.end(`${OK}\r\nhello`));
    expect(await post(server)).toMatchObject({ outcome: 'answered', status: 200, excerpt: 'hello' });
    await expectAllClosed(server);
  });
});

describe('a slow endpoint', () => {
  const scripts: [name: string, Script][] = [
    ['never responds', () => {}],
    ['responds after 30 s', (socket) => later(socket, 30_000, () => socket.end(`${OK}\r\n`))],
    ['trickles its head byte by byte', (socket) => trickle(socket, `${OK}X-Long: ${'x'.repeat(5000)}`)],
    ['trickles its body byte by byte', (socket) => trickle(socket, `${OK}Content-Length: 9999\r\n\r\n`, 'x')],
    ['sends 102 Processing forever', (socket) => repeat(socket, 100, 'HTTP/1.1 102 Processing\r\n\r\n')],
    ['never ends its body', (socket) => socket.write(`${OK}Content-Length: 100\r\n\r\nhello`)],
    ['never ends its chunks', (socket) => socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`)],
    ['never ends a body without length', (socket) => socket.write(`${OK}\r\nhello`)],
    ['never closes its trailers', (socket) => socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\nX-A: b\r\n`)],
  ];

  it.each(scripts)('that %s is a timeout', async (_name, script) => {
    const server = await startServer(script);
    const result = await post(server, {}, { timeoutMs: 800 });
    expect(result).toMatchObject({ outcome: 'failed', reason: 'timeout', remoteAddress: '127.0.0.1' });
    expect(result.durationMs).toBeLessThan(20_000);
    await expectAllClosed(server);
  });

  it('that never reads is a timeout, with the body unread', async () => {
    const server = await startServer((socket) => socket.pause());
    const source = endless();
    const result = await post(server, { body: source.body, bodyBytes: 1000 * MB }, { timeoutMs: 1500 });
    expect(result).toMatchObject({ outcome: 'failed', reason: 'timeout' });
    expect(source.pulledBytes()).toBeLessThan(30 * MB);
    expect(source.isClosed()).toBe(true);
    await expectAllClosed(server);
  });

  it('that reads slowly gets the body no faster', async () => {
    let received = 0;
    let ahead = 0;
    const source = endless(20 * MB);
    const server = await startServer((socket) => {
      socket.on('data', (chunk) => {
        received += chunk.length;
        ahead = Math.max(ahead, source.pulledBytes() - received);
        socket.pause();
        later(socket, 1, () => socket.resume());
        if (received >= 19 * MB) socket.end(`${OK}Content-Length: 0\r\n\r\n`);
      });
    });
    const result = await post(server, { body: source.body, bodyBytes: 20 * MB }, { timeoutMs: 50_000 });
    expect(result).toMatchObject({ outcome: 'answered', status: 200 });
    expect(ahead).toBeLessThan(15 * MB);
  });
});

describe('an endpoint that sends too much', () => {
  const head = 'X-Long: ';
  const scripts: [name: string, start: string, more: string][] = [
    ['a header', `${OK}${head}`, 'x'.repeat(64 * 1024)],
    ['a status text', 'HTTP/1.1 200 ', 'x'.repeat(64 * 1024)],
    ['a number of headers', OK, 'X-A: b\r\n'.repeat(8 * 1024)],
    ['a number of informational answers', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1024)],
    ['a number of trailers', `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'X-A: b\r\n'.repeat(8 * 1024)],
    ['a chunk extension', `${OK}Transfer-Encoding: chunked\r\n\r\n5;a=`, 'x'.repeat(64 * 1024)],
  ];

  it.each(scripts)('in an endless %s is an invalid response, and little of it is read', async (_name, start, more) => {
    const flooded = flood(start, more, 100 * MB);
    const server = await startServer(flooded.script);
    expect(await post(server)).toMatchObject({ outcome: 'failed', reason: 'bad_answer' });
    await expectAllClosed(server);
    expect(flooded.writtenBytes()).toBeLessThan(50 * MB);
  });

  it.each([
    ['with a length', `${OK}Content-Length: ${100 * MB}\r\n\r\n`, 'x'.repeat(64 * 1024)],
    ['without one', `${OK}\r\n`, 'x'.repeat(64 * 1024)],
    ['in chunks', `${OK}Transfer-Encoding: chunked\r\n\r\n`, `10000\r\n${'x'.repeat(64 * 1024)}\r\n`],
    ['in chunks of a byte', `${OK}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(8 * 1024)],
    [
      'in chunks of a byte with long names',
      `${OK}Transfer-Encoding: chunked\r\n\r\n`,
      `1;${'n'.repeat(9999)}\r\nx\r\n`,
    ],
  ])('in a body of 100 MB %s has responded, and the connection closes early', async (_name, start, more) => {
    const flooded = flood(start, more, 100 * MB);
    const server = await startServer(flooded.script);
    expect(await post(server, {}, { timeoutMs: 30_000 })).toMatchObject({
      outcome: 'answered',
      status: 200,
      excerpt: expect.stringMatching(more.startsWith('1;') ? /^x{10,100}$/ : /^x{1000}$/),
    });
    await expectAllClosed(server);
    expect(flooded.writtenBytes()).toBeLessThan(50 * MB);
  });

  it('by less than 64 KiB is read to the end', async () => {
    const server = await startServer((socket) => {
      socket.write(`${OK}Content-Length: ${64 * 1024 - 1}\r\n\r\n${'x'.repeat(64 * 1024 - 2)}`);
    });
    expect(await post(server, {}, { timeoutMs: 300 })).toMatchObject({ outcome: 'failed', reason: 'timeout' });
  });

  it('by 64 KiB is read no further', async () => {
    const server = await startServer((socket) => {
      socket.write(`${OK}Content-Length: ${64 * 1024 + 1}\r\n\r\n${'x'.repeat(64 * 1024)}`);
    });
    expect(await post(server)).toMatchObject({ outcome: 'answered', status: 200 });
    await expectAllClosed(server);
  });
});

describe('an endpoint that responds before it has the body', () => {
  it.each([
    [200, 'stays', (socket: TLSSocket) => socket.write(`${OK}Content-Length: 2\r\n\r\nhi`)],
    [413, 'stays', (socket: TLSSocket) => socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n')],
    [413, 'leaves', (socket: TLSSocket) => socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n')],
    [503, 'reads on', (socket: TLSSocket) => socket.resume().write('HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n')],
  ])('with %i and %s has responded, and the body is closed', async (status, _then, script) => {
    const server = await startServer((socket) => {
      socket.pause();
      script(socket);
    });
    const source = endless();
    const result = await post(server, { body: source.body, bodyBytes: 1000 * MB }, { timeoutMs: 20_000 });
    expect(result).toMatchObject({ outcome: 'answered', status });
    expect(source.isClosed()).toBe(true);
    await expectAllClosed(server);
  });

  it.each([
    ['closes', (socket: TLSSocket) => socket.destroy()],
    ['resets', reset],
  ])('and %s without a response is a broken request', async (_name, script) => {
    const server = await startServer(script);
    const source = endless();
    const result = await post(server, { body: source.body, bodyBytes: 1000 * MB }, { timeoutMs: 20_000 });
    expect(result).toMatchObject({ outcome: 'failed', reason: 'broken' });
    expect(source.isClosed()).toBe(true);
    await expectAllClosed(server);
  });
});

describe('a certificate', () => {
  const day = 24 * 60 * 60 * 1000;
  const ago = (days: number) => new Date(Date.now() - days * day);

  it.each([
    ['has expired', { notBeforeDate: ago(3), notAfterDate: ago(1) }, 'localhost', /has expired/],
    ['is not valid yet', { notBeforeDate: ago(-1), notAfterDate: ago(-3) }, 'localhost', /not valid yet/],
    ['is for another name', { names: ['other.test'] }, 'localhost', /another host name/],
    ['is for the address and not the name', { names: [] }, 'localhost', /another host name/],
    ['is for another address', { ips: ['127.0.0.9'] }, '127.0.0.1', /another host name/],
    ['is for the name and not the address', { ips: [] }, '127.0.0.1', /another host name/],
    ['is for a wildcard of another level', { names: ['*.localhost'] }, 'localhost', /another host name/],
  ])('that %s is rejected, and no request is sent', async (_name, certificate, host, message) => {
    let requests = 0;
    const count = () => {
      requests += 1;
    };
    const server = await startServer(count, await testCertificate(certificate));
    const url = `https://${host}:${server.port}/`;
    const result = await post(server, { url });
    expect(result).toMatchObject({ outcome: 'failed', reason: 'tls', message: expect.stringMatching(message) });
    await expectAllClosed(server);
    expect(requests).toBe(0);
  });

  it.each([undefined, '0'])('of an unknown authority is rejected (NODE_TLS_REJECT_UNAUTHORIZED: %s)', async (value) => {
    if (value) process.env.NODE_TLS_REJECT_UNAUTHORIZED = value;
    onTestFinished(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    });
    const server = await startServer((socket) => socket.end(`${OK}\r\n`));
    expect(await post(server, {}, { ca: undefined })).toMatchObject({
      outcome: 'failed',
      reason: 'tls',
      message: "The endpoint's certificate was issued by an authority that this server doesn't trust.",
    });
  });

  it.each([
    ['localhost', 'localhost'],
    ['127.0.0.1', false],
  ])('is requested by name (SNI): %s', async (host, servername) => {
    const names: unknown[] = [];
    const server = await startServer((socket) => {
      names.push(socket.servername);
      socket.end(`${OK}\r\n`);
    });
    const url = `https://${host}:${server.port}/`;
    expect(await post(server, { url })).toMatchObject({ outcome: 'answered' });
    expect(names).toEqual([servername]);
  });
});

describe('an endpoint that fails before TLS is set up', () => {
  it.each([
    ['speaks plain HTTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'tls'],
    ['speaks something else', (socket: Socket) => socket.write('220 mail ESMTP\r\n'), 'tls'],
    ['closes', (socket: Socket) => socket.destroy(), 'tls'],
    ['ends', (socket: Socket) => socket.end(), 'tls'],
    ['resets', (socket: Socket) => later(socket, 20, () => socket.resetAndDestroy()), 'tls'],
    ['says nothing', () => {}, 'timeout'],
    ['trickles', (socket: Socket) => trickle(socket, '\x16\x03\x03\x3f\xff', '\0'), 'timeout'],
  ])('because it %s ends in a result', async (_name, script, reason) => {
    const server = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.resume();
        script(socket);
      }),
    );
    const result = await post(server, {}, { timeoutMs: reason === 'timeout' ? 800 : 10_000 });
    expect(result).toMatchObject({ outcome: 'failed', reason, remoteAddress: '127.0.0.1' });
    await expectAllClosed(server);
  });

  it.each([
    ['only old versions of TLS', { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' }],
    ['only HTTP/2', { ALPNProtocols: ['h2'] }],
    ['only those with a certificate', { requestCert: true, rejectUnauthorized: true }],
  ] as [string, TlsOptions][])('because it takes %s ends in a TLS failure', async (_name, options) => {
    const server = await startServer((socket) => socket.end(`${OK}\r\n`), options);
    expect(await post(server)).toMatchObject({ outcome: 'failed', reason: 'tls' });
    await expectAllClosed(server);
  });
});

it('leaves no socket or timer behind', async () => {
  const scripts: [script: Script, timeoutMs: number][] = [
    [(socket) => socket.end(`${OK}Content-Length: 2\r\n\r\nhi`), LONG_MS],
    [() => {}, 200],
    [reset, LONG_MS],
    [(socket) => socket.write(`${OK}Content-Length: 100\r\n\r\nhello`), 200],
    [(socket) => socket.write('garbage\r\n\r\n'), LONG_MS],
    [flood(`${OK}\r\n`, 'x'.repeat(64 * 1024), 100 * MB).script, LONG_MS],
  ];
  for (const [script, timeoutMs] of scripts) {
    const server = await startServer(script);
    await post(server, {}, { timeoutMs });
    await post(server, { body: endless().body, bodyBytes: 1000 * MB }, { timeoutMs });
    await post(server, {}, { timeoutMs: LONG_MS, ca: undefined });
    await post(server, {}, { timeoutMs: LONG_MS, allowPrivateNetworks: false });
    await server.close();
    await post(server, {}, { timeoutMs: LONG_MS });
  }
  const giveUpAt = performance.now() + 20_000;
  while (handles().length > 0 && performance.now() < giveUpAt) await new Promise((done) => setImmediate(done));
  expect(handles()).toEqual([]);
});

const LONG_MS = 300_000;

/** Handles that keep the process alive, of the kinds that a request uses. */
function handles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => /TCP|TLS|Timeout|Cares|GetAddr|QueryReq/.test(name))
    .sort();
}
function post(server: FaultyServer, request: Partial<OutboundRequest> = {}, options: Partial<OutboundOptions> = {}) {
  async function* body() {
    yield Buffer.from('{}');
  }
  return postOnce(
    { url: server.url, headers: {}, body: body(), bodyBytes: 2, ...request },
    { allowPrivateNetworks: true, ca: server.ca, resolve: async () => ['127.0.0.1'], ...options },
  );
}

/** A body in chunks of 64 KiB, endless by default. */
function endless(bytes = Number.POSITIVE_INFINITY) {
  const piece = Buffer.alloc(64 * 1024, 'x');
  let pulledBytes = 0;
  let isClosed = false;
  async function* body() {
    try {
      while (pulledBytes < bytes) {
        pulledBytes += piece.length;
        yield piece;
      }
    } finally {
      isClosed = true;
    }
  }
  return { body: body(), pulledBytes: () => pulledBytes, isClosed: () => isClosed };
}
