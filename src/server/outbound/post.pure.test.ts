import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HttpsReceiver, type ReceiverHandler, startHttpsReceiver } from '@/test/servers/https-receiver';
import { type OutboundOptions, type OutboundRequest, requestOnce } from './request';

describe('the request', () => {
  it('is one POST with the headers and the body as given', async () => {
    const receiver = await start();
    const result = await post(receiver, {
      url: `${receiver.url}/hooks/a%20b?x=1&y=%C3%BC#part`,
      headers: { 'Content-Type': 'application/json', 'X-Service-Event': 'mail.delivered' },
      ...bodyOf('{"a":"ü"}'),
    });
    expect(result).toMatchObject({ outcome: 'answered', status: 200, remoteAddress: '127.0.0.1' });
    expect(result.durationMs).toBeGreaterThanOrEqual(0);
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]).toMatchObject({
      method: 'POST',
      path: '/hooks/a%20b?x=1&y=%C3%BC',
      body: Buffer.from('{"a":"ü"}'),
    });
    expect(receiver.requests[0]?.headers).toEqual({
      'user-agent': 'Postroom/1',
      'content-type': 'application/json',
      'x-service-event': 'mail.delivered',
      host: `127.0.0.1:${receiver.port}`,
      'accept-encoding': 'identity',
      connection: 'close',
      'content-length': '10',
    });
  });

  it('uses the user agent of the caller, and its own body framing', async () => {
    const receiver = await start();
    const headers = {
      'user-agent': 'Other/2',
      host: 'evil.test',
      'content-length': '99',
      'transfer-encoding': 'chunked',
    };
    await post(receiver, { headers, ...bodyOf('hi') });
    expect(receiver.requests[0]?.headers).toMatchObject({
      'user-agent': 'Other/2',
      host: `127.0.0.1:${receiver.port}`,
      'content-length': '2',
    });
    expect(receiver.requests[0]?.headers).not.toHaveProperty('transfer-encoding');
    expect(receiver.requests[0]?.body.toString()).toBe('hi');
  });

  it('may have an empty body', async () => {
    const receiver = await start();
    expect(await post(receiver, bodyOf(''))).toMatchObject({ outcome: 'answered', status: 200 });
    expect(receiver.requests[0]?.headers['content-length']).toBe('0');
  });

  it('is complete at 20 MB', async () => {
    const receiver = await start();
    const piece = Buffer.alloc(64 * 1024, 'postroom ');
    const pieces = 320;
    async function* body() {
      for (let at = 0; at < pieces; at += 1) yield piece;
    }
    const result = await post(receiver, { body: body(), bodyBytes: pieces * piece.length }, { timeoutMs: 50_000 });
    expect(result).toMatchObject({ outcome: 'answered', status: 200 });
    const expected = createHash('sha256');
    for (let at = 0; at < pieces; at += 1) expected.update(piece);
    const { body: received = Buffer.alloc(0) } = receiver.requests[0] ?? {};
    expect(createHash('sha256').update(received).digest('hex')).toBe(expected.digest('hex'));
  });
});

describe('the response', () => {
  it.each([200, 201, 204, 301, 302, 304, 307, 308, 400, 404, 410, 429, 500, 503])(
    '%i is a response, and no redirect is followed',
    async (status) => {
      const elsewhere = await start();
      const receiver = await start(() => ({ status, headers: { Location: `${elsewhere.url}/next` } }));
      expect(await post(receiver)).toMatchObject({ outcome: 'answered', status });
      expect(receiver.requests).toHaveLength(1);
      expect(elsewhere.requests).toHaveLength(0);
    },
  );

  it('is kept with its status text, headers and the start of its body', async () => {
    const receiver = await start(() => ({
      status: 418,
      headers: { 'X-Two': 'b', 'X-One': 'a' },
      body: 'short and stout',
    }));
    const result = await post(receiver);
    expect(result).toMatchObject({ outcome: 'answered', statusText: "I'm a Teapot", excerpt: 'short and stout' });
    expect(result).toMatchObject({
      headers: expect.arrayContaining([
        ['X-Two', 'b'],
        ['X-One', 'a'],
      ]),
    });
  });

  it('is kept with 20 headers of 200 characters at most', async () => {
    const headers = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`X-${at}`, 'v'.repeat(250)]));
    const result = await post(await start(() => ({ headers })));
    const kept = result.outcome === 'answered' ? result.headers : [];
    expect(kept).toHaveLength(20);
    expect(kept[0]).toEqual(['X-0', 'v'.repeat(200)]);
  });

  it.each([
    ['1,000 characters', 'a'.repeat(1500), 'a'.repeat(1000)],
    ['whole characters', `a${'📨'.repeat(1500)}`, `a${'📨'.repeat(999)}`],
    ['characters cut by the bytes that are kept', `a${'ü'.repeat(500)}\0${'\0'.repeat(2997)}ü`, `a${'ü'.repeat(500)}`],
    ['invalid UTF-8', Buffer.from([0x68, 0xff, 0xfe, 0x69, 0xc3]), 'h��i�'],
    ['no NUL', 'a\0b\0', 'ab'],
    ['text with a byte order mark', '\uFEFFhi', 'hi'],
    ['half a surrogate pair', Buffer.from([0xed, 0xa0, 0xbd]), '���'],
  ])('is kept as %s', async (_case, body, excerpt) => {
    expect(await post(await start(() => ({ body })))).toMatchObject({ outcome: 'answered', excerpt });
  });
});

describe('the host', () => {
  it('gets its name by SNI, and its certificate is verified for it', async () => {
    const receiver = await start();
    const url = `https://localhost:${receiver.port}/`;
    const result = await post(receiver, { url }, { resolve: async () => ['127.0.0.1'] });
    expect(result).toMatchObject({ outcome: 'answered', remoteAddress: '127.0.0.1' });
    expect(receiver.requests[0]?.headers.host).toBe(`localhost:${receiver.port}`);
  });

  it('may have a final dot', async () => {
    const receiver = await start();
    const url = `https://localhost.:${receiver.port}/`;
    expect(await post(receiver, { url }, { resolve: async () => ['127.0.0.1'] })).toMatchObject({
      outcome: 'answered',
    });
  });

  it('is reached at the next address if the first refuses', async () => {
    const receiver = await start();
    const url = `https://localhost:${receiver.port}/`;
    const resolve = async () => ['127.0.0.2', '127.0.0.3', '127.0.0.1'];
    expect(await post(receiver, { url }, { resolve })).toMatchObject({
      outcome: 'answered',
      remoteAddress: '127.0.0.1',
    });
  });

  it('that no longer listens is a refused connection', async () => {
    const receiver = await start();
    await receiver.close();
    expect(await post(receiver)).toMatchObject({ outcome: 'failed', reason: 'connect', remoteAddress: null });
  });

  it.each([
    'http://127.0.0.1/',
    'HTTP://127.0.0.1/',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'https://',
    'https://user@127.0.0.1/',
    'https://:password@127.0.0.1/',
    'https://./',
    '//127.0.0.1/',
    '127.0.0.1',
    'not a url',
    '',
  ])('%j is rejected before any lookup', async (url) => {
    const receiver = await start();
    const asked: string[] = [];
    const resolve = async (hostname: string) => {
      asked.push(hostname);
      return ['127.0.0.1'];
    };
    expect(await post(receiver, { url }, { resolve })).toMatchObject({ outcome: 'failed', reason: 'bad_url' });
    expect(asked).toEqual([]);
  });

  it('at a private address is rejected unless allowed', async () => {
    const receiver = await start();
    expect(await post(receiver, {}, { allowPrivateNetworks: false })).toMatchObject({
      outcome: 'failed',
      reason: 'blocked_address',
      remoteAddress: null,
    });
    expect(receiver.requests).toHaveLength(0);
  });
});

describe('a body of bytes', () => {
  it('is sent as it is', async () => {
    const receiver = await start();
    const body = Buffer.from('{"a":"ü"}');
    expect(await post(receiver, { body, bodyBytes: body.length })).toMatchObject({ outcome: 'answered', status: 200 });
    expect(receiver.requests).toMatchObject([{ headers: { 'content-length': '10' }, body }]);
  });

  it.each([1, 3])('is not sent if it was announced with %i bytes instead of 2', async (bodyBytes) => {
    const receiver = await start();
    const result = await post(receiver, { body: Buffer.from('ab'), bodyBytes });
    expect(result).toMatchObject({
      outcome: 'failed',
      reason: 'broken',
      message: 'The request body could not be read.',
    });
    expect(receiver.requests).toEqual([]);
  });
});

describe('the source of the body', () => {
  const scenes: [name: string, Partial<OutboundRequest>, Partial<OutboundOptions>, outcome: string][] = [
    ['a response', {}, {}, 'answered'],
    ['a bad URL', { url: 'http://127.0.0.1/' }, {}, 'bad_url'],
    ['a rejected address', {}, { allowPrivateNetworks: false }, 'blocked_address'],
    ['a name without address', { url: 'https://hooks.test/' }, { resolve: async () => [] }, 'dns'],
    ['an untrusted certificate', {}, { ca: undefined }, 'tls'],
    ['an invalid header', { headers: { 'X-A': 'a\r\nX-B: b' } }, {}, 'broken'],
    ['a body longer than announced', { bodyBytes: 1 }, {}, 'broken'],
    ['a body shorter than announced', { bodyBytes: 10 }, {}, 'broken'],
  ];

  it.each(scenes)('is closed after %s', async (_name, request, options, outcome) => {
    const receiver = await start();
    const source = watched(['a', 'b']);
    const result = await post(receiver, { body: source.body, bodyBytes: 2, ...request }, options);
    expect(result.outcome === 'failed' ? result.reason : result.outcome).toBe(outcome);
    expect(source.closed()).toBe(1);
  });

  it.each(scenes)('is closed after %s, as a stream', async (_name, request, options) => {
    const receiver = await start();
    const body = Readable.from([Buffer.from('a'), Buffer.from('b')]);
    await post(receiver, { body, bodyBytes: 2, ...request }, options);
    expect(body.destroyed).toBe(true);
  });

  it.each([0, 1])('that throws after %i chunks is a broken request, and nothing is received', async (pieces) => {
    const receiver = await start();
    async function* body() {
      for (let at = 0; at < pieces; at += 1) yield Buffer.from('a');
      throw new Error('secret inside');
    }
    expect(await post(receiver, { body: body(), bodyBytes: 5 })).toMatchObject({
      outcome: 'failed',
      reason: 'broken',
      message: 'The request body could not be read.',
    });
    expect(receiver.requests).toHaveLength(0);
  });

  it('that fails as a stream before it is read is a broken request', async () => {
    const receiver = await start();
    const body = new Readable({ read() {} });
    const posting = post(receiver, { body, bodyBytes: 5 });
    body.destroy(new Error('no such file'));
    expect(await posting).toMatchObject({ outcome: 'failed', reason: 'broken' });
  });

  it('that hangs times out, and is closed', async () => {
    const source = watched(['a'], () => new Promise(() => {}));
    const result = await post(await start(), { body: source.body, bodyBytes: 5 }, { timeoutMs: 200 });
    expect(result).toMatchObject({ outcome: 'failed', reason: 'timeout' });
    expect(source.closed()).toBe(1);
  });

  it('that is not iterable is a broken request', async () => {
    const body = {} as AsyncIterable<Uint8Array>;
    expect(await post(await start(), { body })).toMatchObject({ outcome: 'failed', reason: 'broken' });
  });
});

async function start(handler?: ReceiverHandler): Promise<HttpsReceiver> {
  const receiver = await startHttpsReceiver({ handler });
  onTestFinished(() => receiver.close());
  return receiver;
}

function post(receiver: HttpsReceiver, request: Partial<OutboundRequest> = {}, options: Partial<OutboundOptions> = {}) {
  return requestOnce(
    { method: 'POST', url: receiver.url, headers: {}, ...bodyOf('{}'), ...request },
    { allowPrivateNetworks: true, ca: receiver.ca, ...options },
  );
}

function bodyOf(text: string): { body: AsyncIterable<Uint8Array>; bodyBytes: number } {
  async function* body() {
    if (text !== '') yield Buffer.from(text);
  }
  return { body: body(), bodyBytes: Buffer.byteLength(text) };
}

/** A body that counts how often it was closed. */
function watched(pieces: string[], atEnd: () => Promise<void> = async () => {}) {
  let closed = 0;
  const rest = [...pieces];
  const iterator = {
    async next() {
      const piece = rest.shift();
      if (piece === undefined) await atEnd();
      return piece === undefined
        ? { done: true as const, value: undefined }
        : { done: false as const, value: Buffer.from(piece) };
    },
    async return() {
      closed += 1;
      return { done: true as const, value: undefined };
    },
  };
  return { body: { [Symbol.asyncIterator]: () => iterator }, closed: () => closed };
}
