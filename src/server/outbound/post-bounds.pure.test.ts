import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { expectAllClosed, flood, reset, startServer } from '@/test/servers/faulty-server';
import { endless, OK, post } from '@/test/servers/post-to-faulty-server';

const MB = 1024 * 1024;

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

  it('by less than 64 KB is read to the end', async () => {
    const server = await startServer((socket) => {
      socket.write(`${OK}Content-Length: ${64 * 1024 - 1}\r\n\r\n${'x'.repeat(64 * 1024 - 2)}`);
    });
    expect(await post(server, {}, { timeoutMs: 300 })).toMatchObject({ outcome: 'failed', reason: 'timeout' });
  });

  it('by 64 KB is read no further', async () => {
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
