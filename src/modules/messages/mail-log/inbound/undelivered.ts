import type { LogEntry } from '@/mail/agent/logs/log-line';
import { oneLine } from '@/mail/smtp-reply';
import type { Tx } from '@/server/db';
import type { Prisma } from '@/server/prisma/client';
import { domainOf, readHeader } from '../../inbound/header';
import { fieldsOf, findOrCreateRow, type MessageFields, UNDELIVERED } from '../../inbound/message-row';
import { findDeliveryPaths, type DeliveryPath, updateInboundStatus } from '../../inbound/delivery-paths';
import { finalReply, type FailureReason } from '../failure-reason';
import { metaOf } from '../filter-meta';
import { knownHeader } from './content';
import { findDomainIds } from './own-domains';

type Undelivered = Extract<LogEntry, { kind: 'delivery' }> & { status: 'deferred' | 'bounced' };

/**
 * Mail for one of our addresses did not get to where that leads, for now or for good: it has its row and its trace all the
 * same. Each of the two is told once, however often it is tried. Its statuses are for `settleUndelivered`.
 */
export async function recordUndelivered(tx: Tx, entry: Undelivered): Promise<void> {
  const { queueId, status, at, smtpCode, enhancedCode, response, remoteMta } = entry;
  const [address, destination] = [entry.addressedTo.toLowerCase(), entry.recipient.toLowerCase()];
  const domainIds = await findDomainIds(tx, [entry]);
  const ownId = domainIds.get(domainOf(destination));
  const domainId = domainIds.get(domainOf(address)) ?? ownId;
  if (domainId === undefined) return;
  const way: Path = { address, destination, isForwarded: ownId === undefined };
  const known = await tx.message.findFirst({
    where: { queueId, domainId, direction: 'inbound' },
    select: { id: true },
  });
  if (known && !(await isNewStatus(tx, known.id, way, status))) return;
  const id = await findOrCreate(tx, { queueId, domainId, addresses: [address], status, at });
  const answer = { smtp_code: smtpCode, enhanced_code: enhancedCode, response: oneLine(response) };
  await addHop(tx, id, way, status, at, { ...answer, remote_mta: remoteMta && oneLine(remoteMta) });
}

/** The filter tells of it only now, as where its stream was away. */
export async function completeUndelivered(tx: Tx, queueId: string): Promise<void> {
  const rows = await tx.message.findMany({
    where: { queueId, direction: 'inbound', status: { in: [...UNDELIVERED] } },
    select: { id: true, toAddresses: true },
  });
  for (const { id, toAddresses } of rows) {
    const data = await findFields(tx, queueId, toAddresses);
    await tx.message.update({ where: { id }, data, select: { id: true } });
  }
}

/** It leaves the queue: what was still tried to deliver failed. */
export async function failUndelivered(tx: Tx, queueId: string, at: Date, ending: FailureReason): Promise<void> {
  for (const { id } of await findRows(tx, [queueId])) {
    const waiting = (await findDeliveryPaths(tx, id)).filter(({ status: standing }) => standing === 'deferred');
    for (const leg of waiting) {
      const { smtpCode, enhancedCode, response } = finalReply(ending, leg.reply);
      await addHop(tx, id, leg, 'failed', at, { smtp_code: smtpCode, enhanced_code: enhancedCode, response });
    }
  }
}

/** Brings the statuses of inbound messages up to their traces. */
export async function settleUndelivered(tx: Tx, queueIds: string[]): Promise<void> {
  for (const { id } of await findRows(tx, queueIds)) await updateInboundStatus(tx, id);
}

type Path = Pick<DeliveryPath, 'address' | 'destination' | 'isForwarded'>;

function findRows(tx: Tx, queueIds: string[]): Promise<{ id: string }[]> {
  return tx.message.findMany({
    where: { queueId: { in: queueIds }, direction: 'inbound' },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
}

async function isNewStatus(tx: Tx, id: string, way: Path, status: Undelivered['status']): Promise<boolean> {
  const legs = await findDeliveryPaths(tx, id, recipientOf(way));
  const known = legs.find(({ address, destination }) => address === way.address && destination === way.destination);
  return !known || (known.status === 'deferred' && status !== 'deferred');
}

async function findOrCreate(tx: Tx, row: Omit<Parameters<typeof findOrCreateRow>[1], 'fields'>): Promise<string> {
  return (await findOrCreateRow(tx, { ...row, fields: await findFields(tx, row.queueId, row.addresses) })).id;
}

/** What the log and the filter told of it; its mailbox does not have it. */
async function findFields(tx: Tx, queueId: string, addresses: string[]): Promise<MessageFields> {
  const transit = await tx.loggedMail.findUniqueOrThrow({
    where: { queueId },
    select: { messageId: true, mailFrom: true, sizeBytes: true, verdict: true, raw: true },
  });
  const meta = metaOf(transit);
  const header = await readHeader({
    header: knownHeader(transit),
    mailFrom: transit.mailFrom ?? meta?.from ?? '',
    routes: addresses.map((address) => ({ address })),
  });
  return { ...fieldsOf(header), sizeBytes: transit.sizeBytes ?? meta?.size ?? 0, spamScore: meta?.score ?? null };
}

/** As the trace tells of what arrives: at the mailbox, by way of an address; or at an address, forwarded. */
async function addHop(
  tx: Tx,
  messageId: string,
  way: Path,
  type: 'deferred' | 'bounced' | 'failed',
  at: Date,
  answer: Prisma.InputJsonObject,
): Promise<void> {
  const alias = way.destination === way.address ? {} : { addressed_to: way.address };
  const detail = way.isForwarded ? { forwarded_to: way.destination, ...answer } : { ...alias, ...answer };
  const data = { messageId, type, at, recipient: recipientOf(way), detail };
  await tx.messageEvent.create({ data, select: { id: true } });
}

function recipientOf({ address, destination, isForwarded }: Path): string {
  return isForwarded ? address : destination;
}
