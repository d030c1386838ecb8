import type { DeliveryReport } from '@/mail/delivery-report';
import type { MessageStatus } from '@/server/prisma/enums';
import { db } from '@/test/database';
import { checkedEvent } from '@/test/envelope';
import { unique } from '@/test/factories';
import { document } from '@/test/rest';

const CREATED_AT = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000);
/** A moment ago, because what is kept of old messages expires. */
export const AT = new Date(CREATED_AT.getTime() + 5_250);

export const ANSWERS = {
  delivered: { cause: null, smtpCode: 250, enhancedCode: '2.0.0', response: '250 2.0.0 Ok' },
  bounced: { cause: 'remote_reply', smtpCode: 550, enhancedCode: '5.1.1', response: '550 5.1.1 No such user' },
  deferred: { cause: 'remote_reply', smtpCode: 451, enhancedCode: '4.7.1', response: '451 4.7.1 Greylisted' },
  failed: { cause: 'expired', smtpCode: null, enhancedCode: '4.4.7', response: 'Gave up after 5 days' },
} as const;

type Domain = { id: string; name: string };

/** A message of the domain in this status, with all recipients in the same. */
export async function makeMessage(
  domain: Domain,
  status: MessageStatus,
  addresses: string[],
  over: { queueId?: string | null } = {},
) {
  const queueId = over.queueId === undefined ? unique() : over.queueId;
  return db.message.create({
    data: {
      messageId: `<${unique()}@${domain.name}>`,
      queueId,
      domainId: domain.id,
      direction: 'outbound',
      fromAddress: `shop@${domain.name}`,
      toAddresses: addresses.slice(0, 1),
      subject: 'Hello',
      sizeBytes: 100,
      status,
      createdAt: CREATED_AT,
      recipients: { create: addresses.map((address) => ({ address, kind: 'to', status })) },
    },
  });
}

type Message = Awaited<ReturnType<typeof makeMessage>>;

/** Returns a report of the mail server's log about the message to its first recipient. */
export function report(
  { messageId, queueId }: Message,
  kind: DeliveryReport['kind'],
  over: Partial<DeliveryReport> = {},
): DeliveryReport {
  const recipient = 'ann@far.example';
  return { kind, messageId, queueId, recipient, remoteMta: 'mx.far.example', at: AT, ...ANSWERS[kind], ...over };
}

/** The message with its trace and the events emitted for it. */
export async function currentState({ id }: Message) {
  const row = await db.message.findUniqueOrThrow({
    where: { id },
    include: { recipients: { orderBy: { address: 'asc' } }, events: { orderBy: { id: 'asc' } } },
  });
  const emitted = (await db.event.findMany({ orderBy: { id: 'asc' } })).filter(
    ({ body }) => JSON.parse(body ?? '').id === row.messageId,
  );
  return {
    status: row.status,
    queueId: row.queueId,
    recipients: row.recipients.map((recipient) => recipient.status),
    trace: row.events.map(({ type }) => type),
    emitted: emitted.map(({ type }) => type),
    events: emitted.map(({ domainId, body }) => ({ domainId, ...checkedEvent(document, JSON.parse(body ?? '')) })),
  };
}
