import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A connection for a text protocol. Received text is buffered until it is read. */
export type Wire = {
  write: (bytes: string) => void;
  /** Reads everything up to the end of the pattern's match. */
  readUntil: (pattern: RegExp) => Promise<string>;
  startTls: () => Promise<void>;
  close: () => void;
};

export async function openWire(port: number, isTls: boolean, from = randomLoopbackAddress()): Promise<Wire> {
  let socket: Socket = connectTcp({ port, host: '127.0.0.1', localAddress: from });
  await once(socket, 'connect');
  let pending = '';
  let isClosed = false;
  let wake: () => void = () => {};

  const listen = () => {
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      pending += text;
      wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      isClosed = true;
      wake();
    });
  };
  const startTls = async () => {
    socket.removeAllListeners();
    // The test certificate is self-signed.
    const secure = connectTls({ socket, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    socket = secure;
    listen();
  };
  const readUntil = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(pending);
      if (match) {
        const end = match.index + match[0].length;
        const text = pending.slice(0, end);
        pending = pending.slice(end);
        return text;
      }
      if (isClosed) throw new Error(`The server closed the connection after ${JSON.stringify(pending)}.`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };

  if (isTls) await startTls();
  else listen();
  return { write: (bytes) => socket.write(bytes, 'latin1'), readUntil, startTls, close: () => socket.destroy() };
}

/** Each connection has another client address, because the server slows down repeated failures and trusts its own. */
export function randomLoopbackAddress(): string {
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
}
