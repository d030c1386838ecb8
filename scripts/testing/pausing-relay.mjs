import { connect, createServer } from 'node:net';

/**
 * Relays connections to a port of this machine. While it is paused, connections are accepted and nothing passes, as with a
 * server that is too busy to answer; what was sent passes afterwards.
 * @param {number} port
 */
export async function startPausingRelay(port) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  let isPaused = false;
  /** @type {(from: import('node:net').Socket, to: import('node:net').Socket) => void} */
  const relay = (from, to) => {
    sockets.add(from);
    from.on('data', (data) => to.write(data));
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isPaused) from.pause();
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    relay(client, upstream);
    relay(upstream, client);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    pause() {
      isPaused = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isPaused = false;
      for (const socket of sockets) socket.resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
