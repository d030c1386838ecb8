import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { OnReport } from '../delivery-report';
import type { InboundPort } from '../inbound/port';
import { createReporter } from './reporter';
import { envelopeOf, smtpError, startSmtpListener } from './smtp-listener';
import { openSpool } from './spool';

export type SandboxMta = { smtpUrl: string; close: () => Promise<void> };

/** Resolves and receives mail to managed domains, which arrives here again. */
export type SandboxOptions = InboundPort & {
  dir: string;
  maxMessageBytes: number;
  minFreeBytes?: number;
  /** How long a deferred recipient is retried before it fails. */
  queueLifetimeMs?: number;
  /** Called with the outcome of each recipient, repeatedly until it resolves, also after a restart. */
  onReport: OnReport;
};

/**
 * Starts the sandbox mail server on a free port of 127.0.0.1, with the credentials in `smtpUrl`. It stores each message in
 * `dir` as `<queueId>.eml` with its envelope in `<queueId>.json`, sends nothing outside, and simulates delivery. A message
 * is on disk before its 250. `minFreeBytes` is kept free on the disk; below that, senders get 452.
 */
export async function startSandboxMta(options: SandboxOptions): Promise<SandboxMta> {
  const { dir, maxMessageBytes, minFreeBytes = MIN_FREE_BYTES, onReport, ...rest } = options;
  const { queueLifetimeMs = QUEUE_LIFETIME_MS, ...inbound } = rest;
  const spool = await openSpool(dir, { minFreeBytes });
  const reporter = createReporter({ spool, onReport, inbound, queueLifetimeMs });
  const password = randomBytes(24).toString('base64url');

  const listener = await startSmtpListener(
    {
      spool,
      maxMessageBytes,
      ports: [0],
      async store(stream, session) {
        const { entry } = await spool.store(envelopeOf(session), stream, {
          maxBytes: maxMessageBytes,
          isReportDue: true,
        });
        reporter.add(entry.queueId);
        return entry.queueId;
      },
    },
    {
      authMethods: ['PLAIN', 'LOGIN'],
      allowInsecureAuth: true,
      disabledCommands: ['STARTTLS'],
      onAuth(auth, _session, done) {
        const isRight = auth.username === USER && isSame(auth.password ?? '', password);
        if (isRight) done(null, { user: USER });
        else done(smtpError(535, '5.7.8 Authentication credentials invalid'));
      },
    },
  );
  for (const queueId of await spool.dueReports()) reporter.add(queueId);

  return {
    smtpUrl: `smtp://${USER}:${password}@127.0.0.1:${listener.port}`,
    async close() {
      await listener.close();
      await reporter.close();
    },
  };
}

/** Kept free for the database, which may share the disk. */
export const MIN_FREE_BYTES = 32 * 1024 * 1024;

const QUEUE_LIFETIME_MS = 5 * 60 * 1000;
const USER = 'postroom';

function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
