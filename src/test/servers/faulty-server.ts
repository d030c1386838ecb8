import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { expect, onTestFinished } from 'vitest';
import { testCertificate } from './https-receiver';

/** Plays an endpoint after it has received the head of a request. */
export type Script = (socket: TLSSocket) => void;

export type FaultyServer = {
  url: string;
  port: number;
  ca: string;
  open: () => number;
  /** Resumes every paused connection. */
  resume: () => void;
  close: () => Promise<void>;
};

const tcpSockets = new Map<number | undefined, Socket>();

export async function startServer(script: Script, options: TlsOptions = {}): Promise<FaultyServer> {
  const { key, cert } = await testCertificate();
  const server = createTlsServer({ key, cert, ...options, ...authorityOf(options) }, (socket) => {
    let head = '';
    socket.on('error', () => {});
    socket.on('data', function onHead(chunk: Buffer) {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', onHead);
      script(socket);
    });
  });
  server.on('tlsClientError', () => {});
  return listen(server);
}

// testCertificate() returns its authority as `ca`, which a server would use for client certificates.
function authorityOf(options: TlsOptions): TlsOptions {
  return options.requestCert ? {} : { ca: undefined };
}

export async function listen(server: Server): Promise<FaultyServer> {
  const { ca } = await testCertificate();
  const sockets = new Set<Socket>();
  const tlsSockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    tcpSockets.set(socket.remotePort, socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('secureConnection', (socket: Socket) => tlsSockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((done) => server.close(done));
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/`,
    port,
    ca,
    open: () => sockets.size,
    resume() {
      for (const socket of tlsSockets) socket.resume();
    },
    close,
  };
}

/** Waits until the client has closed every connection. A server notices only when it reads. */
export async function expectAllClosed(server: FaultyServer): Promise<void> {
  server.resume();
  await expect.poll(() => server.open(), { timeout: 20_000 }).toBe(0);
}

/** Writes the start, then more as the client reads it, up to a limit. */
export function flood(start: string, more: string, limitBytes: number) {
  let writtenBytes = 0;
  const script: Script = (socket) => {
    const write = () => {
      while (!socket.destroyed && writtenBytes < limitBytes) {
        writtenBytes += more.length;
        if (!socket.write(more)) return;
      }
    };
    socket.on('drain', write);
    socket.resume();
    socket.write(start);
    write();
  };
  return { script, writtenBytes: () => writtenBytes };
}

export function trickle(socket: Socket, text: string, then = ''): void {
  let at = 0;
  const timer = setInterval(() => {
    socket.write(text[at] ?? then, 'latin1');
    at += 1;
  }, 5);
  socket.resume().on('close', () => clearInterval(timer));
}

export function repeat(socket: Socket, everyMs: number, text: string): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.resume().on('close', () => clearInterval(timer));
}

export function later(socket: Socket, delayMs: number, act: () => void): void {
  const timer = setTimeout(act, delayMs);
  socket.on('close', () => clearTimeout(timer));
}

// Only the TCP socket below TLS can do this.
export function reset(socket: TLSSocket): void {
  tcpSockets.get(socket.remotePort)?.resetAndDestroy();
}
