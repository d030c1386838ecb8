import { type ConnectionOptions, createServer, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '@/test/servers/faulty-server';
import { type ReceiverHandler, startHttpsReceiver, testCertificate } from '@/test/servers/https-receiver';
import { type Connections, keptConnections } from './connections';
import { type OutboundOptions, type OutboundRequest, requestOnce } from './request';

describe('kept connections', () => {
  it('serve one request after another, and hold on to none', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const receiver = await start();
    const { post, opened } = poster(receiver);
    for (let count = 0; count < 20; count++) await post();
    expect(opened()).toBe(1);
    expect(warnings).toEqual([]);
  });

  it('serve requests to several URLs of a host', async () => {
    const receiver = await start();
    const { post, opened } = poster(receiver);
    for (const path of ['/a', '/b', '/c']) {
      expect(await post({ url: receiver.url + path })).toMatchObject({
        outcome: 'answered',
        status: 200,
        remoteAddress: '127.0.0.1',
      });
    }
    expect(opened()).toBe(1);
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/a', '/b', '/c']);
    expect(receiver.requests.map(({ body }) => body.toString())).toEqual(['{}', '{}', '{}']);
    expect(receiver.requests[0]?.headers.connection).toBe('keep-alive');
  });

  it('are as many as requests at a time', async () => {
    const receiver = await start(() => ({ delayMs: 50 }));
    const { post, opened } = poster(receiver);
    await Promise.all(Array.from({ length: 5 }, () => post()));
    await Promise.all(Array.from({ length: 5 }, () => post()));
    expect(opened()).toBe(5);
    expect(receiver.requests).toHaveLength(10);
  });

  it('are closed above the number that may be idle', async () => {
    const receiver = await start(() => ({ delayMs: 50 }));
    const { post } = poster(receiver, keptConnections({ maxIdle: 2 }));
    await Promise.all(Array.from({ length: 5 }, () => post()));
    await expect.poll(receiver.open).toBe(2);
  });

  it('are closed when they have been idle for some seconds', { timeout: 20_000 }, async () => {
    const receiver = await start();
    const { post } = poster(receiver);
    await post();
    expect(receiver.open()).toBe(1);
    await expect.poll(receiver.open, { timeout: 15_000 }).toBe(0);
  });

  it('are not kept after their time', async () => {
    const receiver = await start();
    const { post, opened } = poster(receiver, keptConnections({ maxAgeMs: 0 }));
    for (let count = 0; count < 3; count++) await post();
    expect(opened()).toBe(3);
  });

  it.each([
    { case: 'a host that resolves to another address', name: 'localhost', addresses: ['127.0.0.1', '127.0.0.2'] },
    { case: 'another host name', name: '127.0.0.1', addresses: ['127.0.0.1'] },
  ])('are not used for $case', async ({ name, addresses }) => {
    const receiver = await start();
    const { post, opened } = poster(receiver);
    const postTo = (host: string, found: string[]) =>
      post({ url: `https://${host}:${receiver.port}` }, { resolve: async () => found });
    await postTo('localhost', ['127.0.0.1']);
    await postTo('localhost', ['127.0.0.1']);
    expect(opened()).toBe(1);
    expect(await postTo(name, addresses)).toMatchObject({ outcome: 'answered' });
    expect(opened()).toBe(2);
  });

  it('are not used for an address that is no longer allowed', async () => {
    const receiver = await start();
    const { post } = poster(receiver);
    await post();
    expect(await post({}, { allowPrivateNetworks: false })).toMatchObject({ reason: 'blocked_address' });
    expect(receiver.requests).toHaveLength(1);
  });

  it('are closed if the response was not read to its end', async () => {
    const receiver = await start(() => ({ body: Buffer.alloc(1_000_000) }));
    const { post, opened } = poster(receiver);
    expect(await post()).toMatchObject({ outcome: 'answered' });
    await expect.poll(receiver.open).toBe(0);
    await post();
    expect(opened()).toBe(2);
  });

  it('are closed if the endpoint says so', async () => {
    const receiver = await start(() => ({ headers: { Connection: 'close' } }));
    const { post, opened } = poster(receiver);
    await post();
    expect(await post()).toMatchObject({ outcome: 'answered' });
    expect(opened()).toBe(2);
  });

  it('are closed by a request that gets no response in time', async () => {
    const receiver = await start((_request, count) => ({ hang: count === 2 }));
    const { post, opened } = poster(receiver);
    await post();
    expect(await post({}, { timeoutMs: 1_000 })).toMatchObject({ reason: 'timeout', remoteAddress: '127.0.0.1' });
    await expect.poll(receiver.open).toBe(0);
    expect(await post()).toMatchObject({ outcome: 'answered' });
    expect(opened()).toBe(2);
  });
});

describe('an endpoint that closes a kept connection as it is used again', () => {
  it('gets the request over a new one', async () => {
    const server = await startClosing({ answers: [1, 1] });
    const { post, opened } = poster(server);
    expect(await post()).toMatchObject({ status: 200 });
    expect(await post()).toMatchObject({ outcome: 'answered', status: 200 });
    expect(opened()).toBe(2);
    expect(server.received()).toEqual([2, 1]);
  });

  it('is not tried a third time', async () => {
    const server = await startClosing({ answers: [1, 0] });
    const { post, opened } = poster(server);
    await post();
    expect(await post()).toMatchObject({ outcome: 'failed', reason: 'broken' });
    expect(opened()).toBe(2);
  });

  it('gets no second request if its response had begun', async () => {
    const server = await startClosing({ answers: [1], last: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf' });
    const { post, opened } = poster(server);
    await post();
    expect(await post()).toMatchObject({ outcome: 'failed', reason: 'broken' });
    expect(opened()).toBe(1);
  });
});

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** Its connection `n` answers `answers[n]` requests; the next one gets `last`, and the connection is closed. */
async function startClosing({ answers, last = '' }: { answers: number[]; last?: string }) {
  const received: number[] = [];
  const { key, cert } = await testCertificate();
  const server = createServer({ key, cert }, (socket) => {
    const at = received.push(0) - 1;
    socket.on('error', () => {});
    socket.on('data', (data) => {
      if (!data.toString().includes('POST ')) return;
      received[at] = (received[at] ?? 0) + 1;
      if (received[at] <= (answers[at] ?? 0)) socket.write(ANSWER);
      else if (last) socket.end(last);
      else socket.destroy();
    });
  });
  return { ...(await listen(server)), received: () => received };
}

async function start(handler?: ReceiverHandler) {
  const receiver = await startHttpsReceiver({ handler });
  onTestFinished(() => receiver.close());
  return receiver;
}

/** Posts over the given connections, and counts those that are opened. */
function poster({ url, ca }: { url: string; ca: string }, connections: Connections = keptConnections()) {
  let opened = 0;
  const connect = (options: ConnectionOptions): TLSSocket => {
    opened += 1;
    return tlsConnect(options);
  };
  onTestFinished(() => connections.destroy());
  return {
    opened: () => opened,
    post(request: Partial<OutboundRequest> = {}, options: Partial<OutboundOptions> = {}) {
      return requestOnce(
        { method: 'POST', url, headers: {}, body: Buffer.from('{}'), bodyBytes: 2, ...request },
        { allowPrivateNetworks: true, ca, connections, connect, ...options },
      );
    },
  };
}
