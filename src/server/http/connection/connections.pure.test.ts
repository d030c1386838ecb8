import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type ConnectionLimits, limitConnections } from './connections';
import { oneAfterAnother } from './serial';
import { createUnsent } from './unsent';

const MB = 1024 * 1024;
const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function listening(server: Server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => {});
    ends.push(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
}

const get = (path = '/') => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const closed = async (socket: Socket) => void (socket.resume().destroyed || (await once(socket, 'close')));

describe('pipelined requests', () => {
  async function serving(listener: RequestListener) {
    return listening(createServer(oneAfterAnother(listener)));
  }

  it('are handled one after another, each once the client has the response before it', async () => {
    const open: [IncomingMessage, ServerResponse][] = [];
    const socket = await (await serving((...exchange) => void open.push(exchange)))();
    socket.write([1, 2, 3].map((n) => get(`/${n}`)).join(''));
    let received = '';
    socket.resume().on('data', (data) => {
      received += data;
    });
    for (const path of ['/1', '/2', '/3']) {
      await expect.poll(() => open.at(-1)?.[0].url).toBe(path);
      expect(received).not.toContain(path);
      open.at(-1)?.[1].end(`this is ${path}`);
      await expect.poll(() => received).toContain(`this is ${path}`);
    }
    expect(open).toHaveLength(3);
  });

  it('cost one response if the client reads none', async () => {
    let handled = 0;
    const socket = await (
      await serving((_request, response) => {
        handled += 1;
        response.end(Buffer.alloc(16 * MB));
      })
    )();
    socket.write(get().repeat(10));
    await expect.poll(() => handled).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(handled).toBe(1);
    socket.resume();
    await expect.poll(() => handled).toBe(10);
  });

  it('end the connection if too many wait', async () => {
    let handled = 0;
    const open = await serving(() => {
      handled += 1;
    });
    const socket = await open();
    socket.write(get().repeat(1_200));
    await closed(socket);
    expect(handled).toBe(1);
  });

  it('that wait are dropped when the client disconnects', async () => {
    const responses: ServerResponse[] = [];
    const open = await serving((_request, response) => void responses.push(response));
    const socket = await open();
    socket.write(get().repeat(5));
    await expect.poll(() => responses.length).toBe(1);
    socket.destroy();
    await once(responses[0] as ServerResponse, 'close');
    await new Promise(setImmediate);
    expect(responses).toHaveLength(1);
  });
});

describe('responses that are not read', () => {
  /** A server with 64 MB responses. The client address is the path. */
  async function serving(limits: { addressBytes: number; totalBytes: number }) {
    const unsent = createUnsent(limits);
    const chunk = Buffer.alloc(64 * MB);
    const open = await listening(
      createServer(({ url = '' }, response) => {
        unsent.write(response, chunk, url);
        response.end();
      }),
    );
    const ask = async (address: string) => {
      const socket = await open();
      socket.write(get(address));
      return socket;
    };
    return { ask, unsent };
  }

  it('beyond the share of a client address end its oldest one', async () => {
    const { ask, unsent } = await serving({ addressBytes: 128 * MB, totalBytes: 1024 * MB });
    const sockets = [];
    for (let count = 1; count <= 2; count += 1) {
      sockets.push(await ask('/a'));
      await expect.poll(() => unsent.bytes()).toBe(count * 64 * MB);
    }
    sockets.push(await ask('/a'));
    await closed(sockets[0] as Socket);
    expect(unsent.bytes()).toBe(128 * MB);
    expect(sockets.slice(1).map(({ destroyed }) => destroyed)).toEqual([false, false]);
  });

  it('beyond the total end the oldest one of the address with the most', async () => {
    const { ask, unsent } = await serving({ addressBytes: 1024 * MB, totalBytes: 192 * MB });
    const sockets: Socket[] = [];
    for (const address of ['/b', '/a', '/a']) {
      sockets.push(await ask(address));
      await expect.poll(() => unsent.bytes()).toBe(sockets.length * 64 * MB);
    }
    await ask('/c');
    await closed(sockets[1] as Socket);
    expect([sockets[0]?.destroyed, sockets[2]?.destroyed]).toEqual([false, false]);
  });

  it('count no more once they are read or the client is gone', async () => {
    const { ask, unsent } = await serving({ addressBytes: 1024 * MB, totalBytes: 1024 * MB });
    const [reading, leaving] = [await ask('/a'), await ask('/b')];
    await expect.poll(() => unsent.bytes()).toBe(128 * MB);
    reading.resume();
    leaving.destroy();
    await expect.poll(() => unsent.bytes()).toBe(0);
  });
});

describe('connections', () => {
  async function serving(limits: Partial<ConnectionLimits>, isTrustedProxy = false) {
    const server = createServer((_request, response) => response.end(Buffer.alloc(64 * MB)));
    ends.push(limitConnections(server, () => isTrustedProxy, limits));
    return listening(server);
  }

  it('of one client address are limited, and a closed one makes room', async () => {
    const open = await serving({ perAddress: 2 });
    const first = await open();
    const second = await open();
    await closed(await open());
    expect([first.destroyed, second.destroyed]).toEqual([false, false]);
    first.destroy();
    await expect
      .poll(async () => {
        const socket = await open();
        socket.write(get());
        return Promise.race([once(socket, 'readable').then(() => 'served'), closed(socket).then(() => 'closed')]);
      })
      .toBe('served');
  });

  it('of a trusted proxy are not limited', async () => {
    const open = await serving({ perAddress: 1 }, true);
    const sockets = [await open(), await open(), await open()];
    for (const socket of sockets) {
      socket.write(get());
      await once(socket, 'readable');
    }
  });

  it('end if the client stops reading a response', async () => {
    const open = await serving({ stallMs: 200, checkIntervalMs: 50 });
    const [stalled, idle] = [await open(), await open()];
    stalled.write(get());
    await once(stalled, 'readable');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await closed(stalled);
    expect(stalled.bytesRead).toBeLessThan(64 * MB);
    expect(idle.destroyed).toBe(false);
  });
});
