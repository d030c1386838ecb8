import { describe, expect, it } from 'vitest';
import {
  expectAllClosed,
  flood,
  later,
  repeat,
  reset,
  type Script,
  startServer,
  trickle,
} from '@/test/servers/faulty-server';
import { endless, OK, post } from '@/test/servers/post-to-faulty-server';

const MB = 1024 * 1024;

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
