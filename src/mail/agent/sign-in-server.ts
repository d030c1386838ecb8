import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { z } from 'zod';

/** A sign-in to Dovecot: of a mail program, or of an SMTP client through Postfix. */
export type SignIn = {
  login: string;
  /** The client's IP address; empty if Dovecot doesn't know it. */
  address: string;
  /** Part of a hash, to tell passwords apart. */
  passwordHash: string;
  /** imap, sieve or smtp. */
  protocol: string;
};

export type SignInPolicy = {
  isBlocked: (signIn: SignIn) => boolean;
  onWrongPassword: (signIn: SignIn) => Promise<void>;
  onSuccess: (signIn: SignIn) => Promise<void>;
};

type Options = { port: number; key: string; onError: (error: unknown) => void };

const MAX_BODY_BYTES = 16 * 1024;
// Longer than Dovecot keeps an idle connection.
const KEEP_ALIVE_MS = 10 * 60_000;

const Attributes = z.object({
  login: z.string(),
  remote: z.string().default(''),
  pwhash: z.string().default(''),
  protocol: z.string().default(''),
  success: z.boolean().optional(),
  policy_reject: z.boolean().optional(),
});

/** Answers Dovecot's questions about sign-ins, on loopback (doc.dovecot.org, "Authentication policy support"). */
export async function startSignInServer(
  { port, key, onError }: Options,
  policy: SignInPolicy,
): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, async (request, response) => {
    try {
      if (!hasKey(request, key)) return void response.writeHead(403).end();
      const isReport = new URL(request.url ?? '', 'http://localhost').searchParams.get('command') === 'report';
      const isAllowed = await answer(policy, Attributes.parse(JSON.parse(await bodyOf(request))), isReport);
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ status: isAllowed ? 0 : REJECTED, msg: '' }));
    } catch (error) {
      onError(error);
      response.writeHead(500).end();
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const REJECTED = -1;

async function answer(
  policy: SignInPolicy,
  { login, remote, pwhash, protocol, ...result }: z.infer<typeof Attributes>,
  isReport: boolean,
): Promise<boolean> {
  const signIn = { login: login.toLowerCase(), address: remote, passwordHash: pwhash, protocol };
  if (!isReport) return !policy.isBlocked(signIn);
  if (result.success) await policy.onSuccess(signIn);
  else if (!result.policy_reject) await policy.onWrongPassword(signIn);
  return true;
}

function hasKey({ headers }: IncomingMessage, key: string): boolean {
  const [given, expected] = [headers.authorization ?? '', `Bearer ${key}`].map((text) => Buffer.from(text));
  return given?.length === expected?.length && timingSafeEqual(given as Buffer, expected as Buffer);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > MAX_BODY_BYTES) throw new Error('sign-in request too long');
  }
  return body;
}
