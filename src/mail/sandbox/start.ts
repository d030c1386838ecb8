import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { parseAddress } from '@/lib/address';
import { openSpool, type Spool, SpoolFullError, TooLargeError } from './spool';

export type SandboxMta = { smtpUrl: string; close: () => Promise<void> };

export type SandboxOptions = { dir: string; maxMessageBytes: number; minFreeBytes?: number };

/**
 * Starts the embedded MTA on a free port of 127.0.0.1, for whoever has the credentials in `smtpUrl`. It keeps each
 * message in `dir` as `<queueId>.eml` with its envelope in `<queueId>.json`, and sends nothing outside. A message is on
 * disk before its 250. `minFreeBytes` is left free on the disk; below it senders hear 452.
 */
export async function startSandboxMta({ dir, maxMessageBytes, minFreeBytes }: SandboxOptions): Promise<SandboxMta> {
  const spool = await openSpool(dir, { minFreeBytes: minFreeBytes ?? MIN_FREE_BYTES });
  const password = randomBytes(24).toString('base64url');
  const storing = new Set<Promise<void>>();
  let isClosing = false;

  const server = new SMTPServer({
    name: 'sandbox.localhost',
    banner: 'Postroom sandbox',
    size: maxMessageBytes,
    authMethods: ['PLAIN', 'LOGIN'],
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    maxClients: MAX_CLIENTS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onAuth(auth, _session, done) {
      const isRight = auth.username === USER && isSame(auth.password ?? '', password);
      if (isRight) done(null, { user: USER });
      else done(smtpError(535, '5.7.8 Authentication credentials invalid'));
    },
    onMailFrom(address, _session, done) {
      if (isClosing) return done(smtpError(421, '4.3.2 The service is shutting down'));
      const announcedBytes = Number(address.args ? address.args.SIZE : 0) || 0;
      spool.requireSpace(announcedBytes).then(
        () => done(),
        (error: unknown) => done(asSmtpError(error)),
      );
    },
    onData(stream, session, done) {
      const work = keep(spool, stream, session, maxMessageBytes)
        .then(
          (queueId) => done(null, `2.0.0 Ok: queued as ${queueId}`),
          (error: unknown) => done(asSmtpError(error)),
        )
        .finally(() => storing.delete(work));
      storing.add(work);
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;

  return {
    smtpUrl: `smtp://${USER}:${password}@127.0.0.1:${port}`,
    // The library would tell a sender 421 for a message that is still being kept, so those come first.
    async close() {
      isClosing = true;
      await Promise.race([Promise.allSettled(storing), delay(DRAIN_MS, undefined, { ref: false })]);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const USER = 'postroom';
const MIN_FREE_BYTES = 32 * 1024 * 1024;
const MAX_CLIENTS = 100;
const SOCKET_TIMEOUT_MS = 60_000;
const DRAIN_MS = 10_000;
const CLOSE_TIMEOUT_MS = 200;

async function keep(
  spool: Spool,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  maxMessageBytes: number,
): Promise<string> {
  const { mailFrom, rcptTo } = session.envelope;
  const envelope = { mailFrom: mailFrom ? asSubmitted(mailFrom) : '', rcptTo: rcptTo.map(asSubmitted) };
  const { queueId } = await spool.store(envelope, stream, maxMessageBytes);
  return queueId;
}

// smtp-server decodes the A-labels of a domain.
function asSubmitted({ address }: { address: string }): string {
  return parseAddress(address)?.address ?? address;
}

function asSmtpError(error: unknown): Error {
  if (error instanceof SpoolFullError) return smtpError(452, '4.3.1 Insufficient system storage');
  if (error instanceof TooLargeError) return smtpError(552, '5.3.4 Message size exceeds fixed limit');
  return smtpError(451, '4.3.0 Local error in processing');
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
