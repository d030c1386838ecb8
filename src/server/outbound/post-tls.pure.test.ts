import { createServer as createTcpServer, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectAllClosed, later, listen, startServer, trickle } from '@/test/servers/faulty-server';
import { testCertificate } from '@/test/servers/https-receiver';
import { OK, post } from '@/test/servers/post-to-faulty-server';

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
      message:
        "The endpoint's certificate was issued by an authority that this server doesn't trust, or its chain is incomplete.",
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
