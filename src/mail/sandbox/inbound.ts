import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server';
import type { InboundPort, RefusalReason, Resolution, ResolvedAddress } from '../inbound/port';
import { createGtubeFilter } from './gtube';
import { envelopeOf, type SmtpListener, smtpError, startSmtpListener } from './smtp-listener';
import { openSpool } from './spool';
import { MIN_FREE_BYTES } from './start';

export type SandboxInboundOptions = InboundPort & {
  dir: string;
  maxMessageBytes: number;
  minFreeBytes?: number;
  /** If the default port is in use, the next free one is taken; a configured port in use is an error. */
  port: number;
  isPortConfigured: boolean;
};

/**
 * Accepts mail on 127.0.0.1 for addresses that resolve. A message is stored in `dir` and recorded before its 250; otherwise
 * the sender gets 451 and retries. A message with the GTUBE line is spam.
 */
export async function startSandboxInbound(options: SandboxInboundOptions): Promise<SmtpListener> {
  const { dir, maxMessageBytes, minFreeBytes = MIN_FREE_BYTES, port, isPortConfigured, resolve, receive } = options;
  const spool = await openSpool(dir, { minFreeBytes });
  const resolved = new WeakMap<SMTPServerAddress, ResolvedAddress>();

  async function store(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> {
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
      disabledCommands: ['AUTH', 'STARTTLS'],
      maxRecipients: MAX_RECIPIENTS,
      onRcptTo(recipient, _session, done) {
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
