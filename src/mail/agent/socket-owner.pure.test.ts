import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ownerOfConnection } from './socket-owner';

it('the client of a connection is found by its port, and nobody once the client has closed it', async () => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  const [accepted] = await once(server, 'connection');
  onTestFinished(() => void accepted.destroy());
  const clientPort = accepted.remotePort;
  expect(await ownerOfConnection(clientPort, port)).toBe(process.getuid?.());
  expect(await ownerOfConnection(clientPort, port + 1)).toBeNull();
  client.destroy();
  await expect.poll(() => ownerOfConnection(clientPort, port)).toBeNull();
});
