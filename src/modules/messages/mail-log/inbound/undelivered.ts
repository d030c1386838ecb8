import { isBounceAddress } from '@/lib/mail/report-addresses';
import { uuidv7 } from '@/lib/uuid';
import type { LogEntry } from '@/mail/log/log-line';
import { oneLine } from '@/mail/submission/smtp-reply';
import type { Tx } from '@/server/database/db';
import type { Prisma } from '@/server/prisma/client';
import { type DeliveryPath, findDeliveryPaths, updateInboundStatus } from '../../inbound/delivery-paths';
import { domainOf, readHeader } from '../../inbound/header';
import { fieldsOf, findOrCreateRow, type MessageFields, UNDELIVERED } from '../../inbound/message-row';
import { attemptCause, type FailureReason, finalReply } from '../../tracking/failure-reason';
import { metaOf } from '../filter-meta';
import { knownHeader } from './content';
import { findDomainIds, findReportAddresses } from './own-domains';

type Undelivered = Extract<LogEntry, { kind: 'delivery' }> & { status: 'deferred' | 'bounced' };

/**
 * Records the message row and a trace event when inbound mail is deferred or bounced. Each status is recorded once per
 * path, however often delivery is attempted. `settleUndelivered` then updates the message's status.
 */
export async function recordUndelivered(tx: Tx, entry: Undelivered): Promise<void> {
  const { queueId, status, at, smtpCode, enhancedCode, response, remoteMta } = entry;
  const [address, destination] = [entry.addressedTo.toLowerCase(), entry.recipient.toLowerCase()];
  if (isBounceAddress(destination)) return;
  const domainIds = await findDomainIds(tx, [entry]);
  const ownId = domainIds.get(domainOf(destination));
  const domainId = domainIds.get(domainOf(address)) ?? ownId;
  if (domainId === undefined) return;
  const path: Path = { address, destination, route: await routeTo(tx, destination, ownId) };
  const known = await tx.message.findFirst({
    where: { queueId, domainId, direction: 'inbound' },
    select: { id: true },
  });
  if (known && !(await isNewStatus(tx, known.id, path, status))) return;
  const recipients = [{ address, route: path.route }];
  const id = await findOrCreate(tx, { queueId, domainId, recipients, status, at });
  const answer = {
    cause: attemptCause(entry),
    smtp_code: smtpCode,
    enhanced_code: enhancedCode,
    response: oneLine(response),
  };
  await addHop(tx, id, path, status, at, { ...answer, remote_mta: remoteMta && oneLine(remoteMta) });
}

/** Adds the filter's fields to undelivered messages whose filter entry arrived late. */
export async function completeUndelivered(tx: Tx, queueIds: string[]): Promise<void> {
  const rows = await tx.$queryRaw<{ id: string; queueId: string; toAddresses: string[] }[]>`/* prepared */
    SELECT m.id, m.queue_id AS "queueId", m.to_addresses AS "toAddresses"
      FROM unnest(${queueIds}::text[]) AS given(queue_id)
     CROSS JOIN LATERAL (SELECT * FROM message WHERE queue_id = given.queue_id OFFSET 0) AS m
     WHERE m.direction = 'inbound' AND m.status::text = ANY (${[...UNDELIVERED]}::text[])`;
  for (const { id, queueId, toAddresses } of rows) {
    const data = await findFields(tx, queueId, toAddresses);
    await tx.message.update({ where: { id }, data, select: { id: true } });
  }
}

/** The message left the queue: marks the paths that are still deferred as failed. */
export async function failUndelivered(tx: Tx, queueId: string, at: Date, reason: FailureReason): Promise<void> {
  for (const { id } of await findRows(tx, [queueId])) {
    const waiting = (await findDeliveryPaths(tx, id)).filter(({ status }) => status === 'deferred');
    for (const path of waiting) {
      const { cause, smtpCode, enhancedCode, response } = finalReply(reason, path.reply);
      await addHop(tx, id, path, 'failed', at, { cause, smtp_code: smtpCode, enhanced_code: enhancedCode, response });
    }
  }
}

/** Updates the statuses of inbound messages from their traces. */
export async function settleUndelivered(tx: Tx, queueIds: string[]): Promise<void> {
  for (const { id } of await findRows(tx, queueIds)) await updateInboundStatus(tx, id);
}

async function routeTo(tx: Tx, destination: string, ownId: string | undefined): Promise<Path['route']> {
  if (ownId === undefined) return 'forwarded';
  return (await findReportAddresses(tx, [destination])).has(destination) ? 'reports' : 'mailbox';
}

type Path = Pick<DeliveryPath, 'address' | 'destination' | 'route'>;

function findRows(tx: Tx, queueIds: string[]): Promise<{ id: string }[]> {
  return tx.message.findMany({
    where: { queueId: { in: queueIds }, direction: 'inbound' },
    select: { id: true },
    orderBy: { id: 'asc' },
  });
}

async function isNewStatus(tx: Tx, id: string, path: Path, status: Undelivered['status']): Promise<boolean> {
  const paths = await findDeliveryPaths(tx, id, recipientOf(path));
  const known = paths.find(({ address, destination }) => address === path.address && destination === path.destination);
  return !known || (known.status === 'deferred' && status !== 'deferred');
}

async function findOrCreate(tx: Tx, row: Omit<Parameters<typeof findOrCreateRow>[1], 'fields'>): Promise<string> {
  const addresses = row.recipients.map(({ address }) => address);
  return (await findOrCreateRow(tx, { ...row, fields: await findFields(tx, row.queueId, addresses) })).id;
}

/** Fields from the log and the filter, since the message is in no mailbox. */
async function findFields(tx: Tx, queueId: string, addresses: string[]): Promise<MessageFields> {
  const mail = await tx.loggedMail.findUniqueOrThrow({
    where: { queueId },
    select: { messageId: true, mailFrom: true, sizeBytes: true, verdict: true, raw: true },
  });
  const meta = metaOf(mail);
  const header = await readHeader({
    header: knownHeader(mail),
    mailFrom: mail.mailFrom ?? meta?.from ?? '',
    resolved: addresses.map((address) => ({ address })),
  });
  return { ...fieldsOf(header), sizeBytes: mail.sizeBytes ?? meta?.size ?? 0, spamScore: meta?.score ?? null };
}

/** Adds a trace event with the same fields as `received` or `forwarded` events have. */
async function addHop(
  tx: Tx,
  messageId: string,
  path: Path,
  type: 'deferred' | 'bounced' | 'failed',
  at: Date,
  answer: Prisma.InputJsonObject,
): Promise<void> {
  const { route, address, destination } = path;
  const alias = destination === address ? {} : { addressed_to: address };
  const to = route === 'forwarded' ? { forwarded_to: [destination] } : alias;
  const detail = { route, ...to, ...answer };
  const data = { id: uuidv7(), messageId, type, at, recipient: recipientOf(path), detail };
  await tx.messageEvent.create({ data, select: { id: true } });
}

function recipientOf({ address, destination, route }: Path): string {
  return route === 'forwarded' ? address : destination;
}
