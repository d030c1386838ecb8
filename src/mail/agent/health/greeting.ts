import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

type Server = ({ host: string; port: number } | { socket: Socket }) & {
  /** How the first line starts. */
  greeting: string;
  /** Ends the session, so that the server logs no lost connection. */
  goodbye: string;
};

const MAX_GREETING_BYTES = 1024;

/** Reads a server's first line. @throws if it starts otherwise */
export async function readGreeting(server: Server, signal: AbortSignal): Promise<void> {
  const socket = 'socket' in server ? server.socket : connect({ ...server, signal });
  try {
    if (socket.connecting) await once(socket, 'connect', { signal });
    let line = '';
    while (!line.includes('\n') && line.length < MAX_GREETING_BYTES) {
      const [chunk] = (await once(socket, 'data', { signal })) as [Buffer];
      line += chunk.toString('latin1');
    }
    if (!line.startsWith(server.greeting)) throw new Error(`It answered: ${line.split('\r\n')[0]}`);
    socket.end(`${server.goodbye}\r\n`);
    await once(socket, 'close', { signal });
  } finally {
    socket.destroy();
  }
}
