import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { parseAddress } from '@/lib/mail/address';
import { type Spool, SpoolFullError, TooLargeError } from './spool';

export type SmtpListener = { port: number; close: () => Promise<void> };

type Options = {
  spool: Spool;
  maxMessageBytes: number;
  /** The ports to try, in order; 0 is any free one. */
  ports: readonly number[];
  /** Resolves to the queue id once the message is stored. */
  store: (stream: SMTPServerDataStream, session: SMTPServerSession) => Promise<string>;
};

/** An SMTP server on 127.0.0.1 that answers 250 only once the message is stored. */
export async function startSmtpListener(
  { spool, maxMessageBytes, ports, store }: Options,
  smtp: SMTPServerOptions,
): Promise<SmtpListener> {
  const pending = new Set<Promise<void>>();
  let isClosing = false;

  const server = new SMTPServer({
    name: 'sandbox.localhost',
    banner: 'Postroom sandbox',
    size: maxMessageBytes,
    disableReverseLookup: true,
    logger: false,
    maxClients: MAX_CLIENTS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    ...smtp,
    onMailFrom(address, _session, done) {
      if (isClosing) return done(smtpError(421, '4.3.2 The service is shutting down'));
      const announcedBytes = Number(address.args ? address.args.SIZE : 0) || 0;
      spool.requireSpace(announcedBytes).then(
        () => done(),
        (error: unknown) => done(asSmtpError(error)),
      );
    },
    onData(stream, session, done) {
      const work = store(stream, session)
        .then(
          (queueId) => done(null, `2.0.0 Ok: queued as ${queueId}`),
          (error: unknown) => done(asSmtpError(error)),
        )
        .finally(() => pending.delete(work));
      pending.add(work);
    },
  });
  server.on('error', () => {});
  const port = await listenOnFirstFree(server, ports);

  return {
    port,
    // Messages being stored finish first, because the library would answer 421 to them.
    async close() {
      isClosing = true;
      await Promise.race([Promise.allSettled(pending), delay(DRAIN_MS, undefined, { ref: false })]);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The envelope as received; smtp-server decodes A-labels of domains. */
export function envelopeOf({ envelope: { mailFrom, rcptTo } }: SMTPServerSession) {
  return { mailFrom: mailFrom ? onTheWire(mailFrom) : '', rcptTo: rcptTo.map(onTheWire) };
}

export function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

const MAX_CLIENTS = 100;
// Longer than recording a message takes: a sender that is disconnected before would send it again.
const SOCKET_TIMEOUT_MS = 180_000;
const DRAIN_MS = 10_000;
const CLOSE_TIMEOUT_MS = 200;

async function listenOnFirstFree(server: SMTPServer, ports: readonly number[]): Promise<number> {
  const last = ports.at(-1);
  for (const candidate of ports) {
    try {
      server.server.listen(candidate, '127.0.0.1');
      await once(server.server, 'listening');
      return (server.server.address() as AddressInfo).port;
    } catch (error) {
      const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isInUse || candidate === last) throw error;
    }
  }
  throw new Error('No free port.');
}

function onTheWire({ address }: { address: string }): string {
  return parseAddress(address)?.address ?? address;
}

function asSmtpError(error: unknown): Error {
  if (error instanceof Error && 'responseCode' in error) return error;
  if (error instanceof SpoolFullError) return smtpError(452, '4.3.1 Insufficient system storage');
  if (error instanceof TooLargeError) return smtpError(552, '5.3.4 Message size exceeds fixed limit');
  return smtpError(451, '4.3.0 Local error in processing');
}
