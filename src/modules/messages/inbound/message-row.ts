import { v7 as uuidv7 } from 'uuid';
import type { Tx } from '@/server/db';
import type { InboundRoute, MessageStatus } from '../schema';
import type { Header } from './header';

/** The columns of an inbound message that come from its content. */
export type MessageFields = {
  messageId: string;
  fromAddress: string;
  subject: string;
  sizeBytes: number;
  spamScore: number | null;
};

type InboundRow = {
  queueId: string;
  domainId: string;
  /** Envelope addresses of this domain. */
  recipients: { address: string; route: InboundRoute }[];
  status: MessageStatus;
  at: Date;
  fields: MessageFields;
};

export function fieldsOf({ messageId, from, subject }: Header): Omit<MessageFields, 'sizeBytes' | 'spamScore'> {
  return { messageId, fromAddress: from, subject };
}

/** Locks the rows of these inbound messages until the transaction ends. Acquire it before any other lock. */
export async function lockInbound(tx: Tx, queueIds: readonly string[]): Promise<void> {
  const keys = [...new Set(queueIds)].toSorted().map((queueId) => `inbound ${queueId}`);
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM unnest(${keys}::text[]) AS key`;
}

export const UNDELIVERED = ['deferred', 'bounced', 'failed'] as const satisfies MessageStatus[];

/**
 * The row of a message in one domain, with its recipients. A row created before the message was delivered may lack fields
 * that are known now; they are updated.
 */
export async function findOrCreateRow(tx: Tx, row: InboundRow): Promise<{ id: string; isKnown: boolean }> {
  const known = await findRow(tx, row);
  const id = known ?? (await create(tx, row));
  const { recipients, status, fields } = row;
  await tx.messageRecipient.createMany({
    data: recipients.map(({ address, route }) => ({ id: uuidv7(), messageId: id, address, kind: 'to', status, route })),
    skipDuplicates: true,
  });
  if (known && status === 'received') {
    await tx.message.updateMany({ where: { id, status: { in: [...UNDELIVERED] } }, data: fields });
  }
  return { id, isKnown: known !== null };
}

async function findRow(tx: Tx, { queueId, domainId, recipients }: InboundRow): Promise<string | null> {
  const addresses = recipients.map(({ address }) => address);
  const [known] = await tx.$queryRaw<{ id: string }[]>`
    UPDATE message SET updated_at = now(), to_addresses = (
             SELECT array_agg(DISTINCT address) FROM unnest(to_addresses || ${addresses}::text[]) AS address)
     WHERE queue_id = ${queueId} AND direction = 'inbound' AND domain_id = ${domainId}::uuid
    RETURNING id`;
  return known?.id ?? null;
}

async function create(tx: Tx, { queueId, domainId, recipients, status, at, fields }: InboundRow): Promise<string> {
  const id = uuidv7();
  const toAddresses = recipients.map(({ address }) => address);
  const data = { queueId, domainId, direction: 'inbound', toAddresses, status, createdAt: at } as const;
  await tx.message.create({ select: { id: true }, data: { id, ...data, ...fields } });
  return id;
}
