import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';

/** Attributes of the message being submitted, by Postfix's names. */
export type PolicyRequest = ReadonlyMap<string, string>;

export type PolicyServer = { close: () => Promise<void> };

const MAX_REQUEST_BYTES = 64 * 1024;

/**
 * Answers Postfix's policy requests (SMTPD_POLICY_README) on a unix socket. A request is `name=value` lines and an empty
 * line; a connection may send several, answered in order. `decide` returns the action, as in access(5); if it rejects, the
 * message is deferred.
 */
export async function startPolicyServer(
  path: string,
  decide: (request: PolicyRequest) => Promise<string>,
  onError: (error: unknown) => void,
): Promise<PolicyServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    serve(socket, decide, onError).catch(() => socket.destroy());
  });
  await mkdir(dirname(path), { recursive: true });
  // A killed process leaves its socket behind.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  // Only Postfix has access to the folder.
  await chmod(path, 0o666);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function serve(
  socket: Socket,
  decide: (request: PolicyRequest) => Promise<string>,
  onError: (error: unknown) => void,
): Promise<void> {
  let pending = '';
  for await (const chunk of socket.setEncoding('latin1')) {
    pending += chunk;
    for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
      const request = parse(pending.slice(0, end));
      pending = pending.slice(end + 2);
      socket.write(`action=${await answer(request)}\n\n`, 'latin1');
    }
    if (pending.length > MAX_REQUEST_BYTES) throw new Error('policy request too long');
  }

  async function answer(request: PolicyRequest): Promise<string> {
    try {
      return (await decide(request)).replaceAll('’', "'").replace(/[^\x20-\x7e]/g, '?');
    } catch (error) {
      onError(error);
      return 'DEFER 4.3.0 The sending limits cannot be looked up, try again later';
    }
  }
}

function parse(text: string): PolicyRequest {
  const lines = text.split('\n').filter((line) => line.includes('='));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
