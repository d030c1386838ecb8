import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import type { InboundPort, RefusalReason, Resolution, ResolvedAddress } from '../inbound/port';
import type { TlsFiles } from './certificate';
import { createGtubeFilter } from './gtube';
import { envelopeOf, type SmtpListener, smtpError, startSmtpListener } from './smtp-listener';
import { openSpool, TooLargeError } from './spool';
import { MIN_FREE_BYTES } from './start';

export type SandboxInboundOptions = InboundPort & {
  dir: string;
  maxMessageBytes: number;
  minFreeBytes?: number;
  /** If the default port is in use, the next free one is taken; a configured port in use is an error. */
  port: number;
  isPortConfigured: boolean;
  /** Sessions that sign in after STARTTLS can send to everybody. Without it, nobody can sign in. */
  submissions?: SubmissionPort & { tls: TlsFiles };
};

/** A session that has signed in, and its envelope sender, empty for the null sender. */
export type SubmissionSession = { login: string; sender: string; clientAddress: string };

/** How a mail server decides on mail that is submitted. All reject while it can't be known. */
export type SubmissionPort = {
  /** Returns the login of the session, or null if the sign-in is wrong. */
  signIn: (name: string, password: string, clientAddress: string) => Promise<string | null>;
  /** Returns the reply to a recipient that is refused, or null. */
  checkRecipient: (session: SubmissionSession, recipient: string) => Promise<string | null>;
  /** Sends the message. */
  submit: (session: SubmissionSession, recipients: string[], raw: Buffer) => Promise<SubmissionResult>;
};

type SubmissionResult = { queueId: string } | { refusal: string };

/**
 * Accepts mail on 127.0.0.1 for addresses that resolve, and from sessions that sign in. A message from outside is stored in `dir` and recorded before its 250; otherwise
 * the sender gets 451 and retries. A message with the GTUBE line is spam.
 */
export async function startSandboxInbound(options: SandboxInboundOptions): Promise<SmtpListener> {
  const { dir, maxMessageBytes, minFreeBytes = MIN_FREE_BYTES, port, isPortConfigured, resolve, receive } = options;
  const { submissions } = options;
  const spool = await openSpool(dir, { minFreeBytes });
  const resolved = new WeakMap<SMTPServerAddress, ResolvedAddress>();

  async function store(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
    if (submissions && session.user) return submit(submissions, session, await readAll(stream, maxMessageBytes));
    const filter = createGtubeFilter();
    const message = filter.passOn(stream);
    const envelope = envelopeOf(session);
    const { entry, header } = await spool.store(envelope, message, { maxBytes: maxMessageBytes, isReportDue: false });
    const { queueId, mailFrom, sizeBytes, receivedAt } = entry;
    try {
      await receive({
        queueId,
        mailFrom,
        resolved: session.envelope.rcptTo.flatMap((recipient) => resolved.get(recipient) ?? []),
        sizeBytes,
        header,
        read: () => spool.load(queueId),
        ...filter.verdict(),
        receivedAt: new Date(receivedAt),
      });
    } catch (error) {
      await spool.remove(queueId).catch(() => {});
      throw error;
    }
    return queueId;
  }

  return startSmtpListener(
    {
      spool,
      maxMessageBytes,
      ports: isPortConfigured ? [port] : portsFrom(port),
      store,
    },
    {
      authOptional: true,
      authMethods: ['PLAIN', 'LOGIN'],
      disabledCommands: submissions ? [] : ['AUTH', 'STARTTLS'],
      ...submissions?.tls,
      maxRecipients: MAX_RECIPIENTS,
      onAuth({ username, password }, session, done) {
        const signedIn =
          submissions?.signIn(username ?? '', password ?? '', session.remoteAddress) ?? Promise.resolve(null);
        signedIn.then(
          (login) =>
            login === null ? done(smtpError(535, '5.7.8 Authentication failed')) : done(null, { user: login }),
          () => done(smtpError(454, '4.7.0 Temporary authentication failure')),
        );
      },
      onRcptTo(recipient, session, done) {
        if (submissions && session.user) {
          submissions.checkRecipient(sessionOf(session), recipient.address).then(
            (refusal) => done(refusal === null ? null : replyError(refusal)),
            () => done(smtpError(451, '4.3.0 Temporary lookup failure')),
          );
          return;
        }
        resolve(recipient.address).then(
          (resolution) => {
            if (resolution.isAccepted) resolved.set(recipient, resolution);
            done(refusalOf(resolution));
          },
          () => done(smtpError(451, '4.3.0 Temporary lookup failure')),
        );
      },
    },
  );
}

async function submit({ submit }: SubmissionPort, session: SMTPServerSession, raw: Buffer): Promise<string> {
  const result = await submit(sessionOf(session), envelopeOf(session).rcptTo, raw);
  if ('refusal' in result) throw replyError(result.refusal);
  return result.queueId;
}

function sessionOf(session: SMTPServerSession): SubmissionSession {
  return { login: String(session.user), sender: envelopeOf(session).mailFrom, clientAddress: session.remoteAddress };
}

/** Reads the stream to its end, because the sender can't be answered before. @throws TooLargeError */
async function readAll(stream: SMTPServerDataStream, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream) {
    sizeBytes += chunk.length;
    if (sizeBytes <= maxBytes) chunks.push(chunk);
  }
  if (sizeBytes > maxBytes) throw new TooLargeError('Message too large');
  return Buffer.concat(chunks);
}

/** The error of a reply such as "550 5.1.1 No such user". */
function replyError(reply: string): Error {
  return smtpError(Number(reply.slice(0, 3)), reply.slice(4));
}

const PORTS_TO_TRY = 100;
const MAX_PORT = 65535;
const MAX_RECIPIENTS = 100;

function portsFrom(first: number): number[] {
  return Array.from({ length: PORTS_TO_TRY }, (_, index) => first + index).filter((port) => port <= MAX_PORT);
}

const REFUSALS: Record<RefusalReason, [number, string]> = {
  not_an_address: [553, '5.1.3 Bad recipient address syntax'],
  not_managed: [554, '5.7.1 Relay access denied'],
  inactive_domain: [550, '5.1.2 The domain does not accept mail'],
  no_such_user: [550, '5.1.1 No such user'],
};

function refusalOf(resolution: Resolution): Error | null {
  return resolution.isAccepted ? null : smtpError(...REFUSALS[resolution.reason]);
}
