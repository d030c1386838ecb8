import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from 'selfsigned';

type ReceivedRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer; at: Date };

/** The response; by default 200 with an empty body. `delayMs` delays it, `hang` never sends it. */
type ReceiverReply = {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  delayMs?: number;
  hang?: boolean;
};

/** Called for each complete request; `count` is 1 for the first. */
export type ReceiverHandler = (
  request: ReceivedRequest,
  count: number,
) => ReceiverReply | undefined | Promise<ReceiverReply | undefined>;

export type HttpsReceiver = {
  /** `https://127.0.0.1:port`, without a trailing slash. The certificate is valid for localhost too. */
  url: string;
  /** The CA certificate (PEM). */
  ca: string;
  port: number;
  /** Every complete request in order, whatever the response. */
  requests: ReceivedRequest[];
  /** Number of open connections. */
  open: () => number;
  close: () => Promise<void>;
};

/** A real HTTPS server on 127.0.0.1 that records requests and responds with the handler's replies. */
export async function startHttpsReceiver(
  options: { handler?: ReceiverHandler; port?: number; certificate?: TestCertificate } = {},
): Promise<HttpsReceiver> {
  const { handler = () => undefined, port: wantedPort = 0, certificate } = options;
  const { key, cert, ca } = certificate ?? (await testCertificate());
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Duplex>();

  async function receive(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(message);
    const { method = '', url: path = '', headers } = message;
    const request = { method, path, headers, body, at: new Date() };
    requests.push(request);
    const reply = (await handler(request, requests.length)) ?? {};
    if (reply.hang) return;
    if (reply.delayMs) await sleep(reply.delayMs, undefined, { ref: false });
    response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
  }

  const server = createServer({ key, cert }, (message, response) => {
    receive(message, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(wantedPort, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    ca,
    port,
    requests,
    open: () => sockets.size,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export type TestCertificate = { key: string; cert: string; ca: string };

/** A certificate for localhost and 127.0.0.1 from this process's CA. Without options, every call returns the same one. */
export function testCertificate(options?: CertificateOptions): Promise<TestCertificate> {
  if (options) return makeCertificate(options);
  defaultCertificate ??= makeCertificate({});
  return defaultCertificate;
}

type CertificateOptions = { names?: string[]; ips?: string[]; notBeforeDate?: Date; notAfterDate?: Date };

let defaultCertificate: Promise<TestCertificate> | undefined;
let authority: ReturnType<typeof makeAuthority> | undefined;

async function makeCertificate(options: CertificateOptions): Promise<TestCertificate> {
  const { names = ['localhost'], ips = ['127.0.0.1'], ...validity } = options;
  authority ??= makeAuthority();
  const { private: authorityKey, cert: ca } = await authority;
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'Postroom test endpoint' }], {
    ...KEY_OPTIONS,
    ...validity,
    ca: { key: authorityKey, cert: ca },
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          ...names.map((value) => ({ type: 2 as const, value })),
          ...ips.map((ip) => ({ type: 7 as const, ip })),
        ],
      },
    ],
  });
  return { key, cert, ca };
}

function makeAuthority() {
  return generate([{ name: 'commonName', value: 'Postroom test authority' }], {
    ...KEY_OPTIONS,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
}

const KEY_OPTIONS = { keyType: 'ec', algorithm: 'sha256' } as const;

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}
