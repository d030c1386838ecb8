import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { domainToASCII } from 'node:url';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

type ReceivedMail = { mailFrom: string; rcptTo: string[]; raw: Buffer; user: string | null; isTls: boolean };

export type TestSmtpServer = {
  url: string;
  port: number;
  received: ReceivedMail[];
  /** Number of connections opened so far. */
  connections: () => number;
  close: () => Promise<void>;
};

type Options = Partial<SMTPServerOptions> & {
  user?: string;
  password?: string;
  scheme?: 'smtp' | 'smtps';
  query?: string;
  /** The reply to each RCPT TO; undefined accepts it. */
  onRecipient?: (address: string) => { code: number; text: string } | undefined;
  /** Awaited before each chunk of a message is read, to simulate a slow link. */
  beforeChunk?: () => Promise<void>;
  port?: number;
};

/**
 * A real SMTP server on 127.0.0.1 that accepts every message and records its bytes. `disabledCommands: []` enables
 * STARTTLS and `secure: true` implicit TLS, with an untrusted certificate.
 */
export async function startSmtpServer(options: Options = {}): Promise<TestSmtpServer> {
  const {
    user,
    password,
    scheme = 'smtp',
    query = '',
    onRecipient,
    beforeChunk,
    port: wantedPort = 0,
    ...serverOptions
  } = options;
  const received: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    authOptional: user === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    disabledCommands: ['STARTTLS'],
    ...serverOptions,
    onConnect(_session, done) {
      connections += 1;
      done();
    },
    onAuth(auth, _session, done) {
      if (auth.username === user && auth.password === password) done(null, { user });
      else done(refusal(535, '5.7.8 Authentication credentials invalid'));
    },
    onRcptTo({ address }, _session, done) {
      const answer = onRecipient?.(address);
      done(answer ? refusal(answer.code, answer.text) : null);
    },
    onData(stream, session, done) {
      read(stream).then(
        (raw) => {
          const { mailFrom, rcptTo } = session.envelope;
          received.push({
            mailFrom: mailFrom ? asOnTheWire(mailFrom.address) : '',
            rcptTo: rcptTo.map(({ address }) => asOnTheWire(address)),
            raw,
            isTls: session.secure,
            user: typeof session.user === 'string' ? session.user : null,
          });
          done(null, `2.0.0 Ok: queued as TEST${String(received.length).padStart(6, '0')}`);
        },
        (error: Error) => done(error),
      );
    },
  });

  async function read(stream: AsyncIterable<Buffer>): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) {
      await beforeChunk?.();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  server.on('error', () => {});
  server.listen(wantedPort, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const credentials = user === undefined ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`;
  return {
    url: `${scheme}://${credentials}127.0.0.1:${port}${query}`,
    port,
    received,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

// smtp-server decodes A-labels to Unicode.
function asOnTheWire(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at + 1)}${domainToASCII(address.slice(at + 1))}`;
}

function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
