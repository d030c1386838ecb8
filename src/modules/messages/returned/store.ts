import { isBounceAddress, isComplaintAddress, isUnsubscribeAddress } from '@/lib/mail/report-addresses';
import { readHeader } from '@/mail/mime/message';
import { findRecipient, unsubscribe } from '@/modules/unsubscribe/service';
import type { Database, Tx } from '@/server/database/db';
import { domainOf } from '../inbound/header';
import { isBeingLogged } from '../mail-log/outbound/submitted';
import { type Report, recordReports } from '../tracking/outcomes';
import { messageOfBounceAddress } from './bounce-address';
import { recordComplaint } from './complaints';
import { readReturnedAside } from './reading/reader';
import type { RecipientReport, ReturnedMail } from './reading/report';
import { countDropped, keepUnread, type ReturnedRaw } from './unread';

/** Mail to addresses that Postroom reads itself, and the sender in its envelope, empty for the null sender. */
export type MailThatReturned = { raw: Uint8Array; sizeBytes: number; mailFrom: string; addresses: string[] };

/**
 * Stores what mail to bounce addresses, for complaints, or to unsubscribe says. Other addresses are left out.
 * @throws if trying again may help
 */
export async function storeReturnedMail(db: Database, mail: MailThatReturned, at: Date): Promise<void> {
  for (const address of mail.addresses.filter(isUnsubscribeAddress)) await unsubscribeBy(db, mail.raw, address, at);
  const addresses = mail.addresses.filter((address) => isBounceAddress(address) || isComplaintAddress(address));
  if (addresses.length === 0) return;
  // A forged address is known without reading.
  const isRead = addresses.some((address) => isComplaintAddress(address) || messageOfBounceAddress(address) !== null);
  const found = isRead ? await readReturnedAside(mail.raw) : null;
  await db.$transaction(async (tx) => {
    for (const address of addresses) await store(tx, { ...mail, address }, found, at);
  });
}

type Sent = { id: string; messageId: string; queueId: string | null; domainId: string | null };

async function store(
  tx: Tx,
  mail: ReturnedRaw & { mailFrom: string },
  found: ReturnedMail | null,
  at: Date,
): Promise<void> {
  const { address } = mail;
  const id = messageOfBounceAddress(address) ?? (found?.kind === 'complaint' ? messageOf(found.senders) : null);
  const sent = id === null ? null : await lockSent(tx, id);
  const drop = async (reason: Parameters<typeof countDropped>[2], domainId = sent?.domainId) =>
    countDropped(tx, domainId ?? (await domainIdOf(tx, address)), reason, at);
  if (isBounceAddress(address) && id === null) return drop('forged');
  if (!found || found.kind === 'nothing') return;
  // Reports should have no sender, but those of some servers have one. Complaints always have one.
  const isReport = found.kind === 'complaint' || (found.kind === 'bounce' && found.isByServer);
  if (isBounceAddress(address) && mail.mailFrom !== '' && !isReport) return drop('answer');
  if (found.kind === 'unreadable') {
    await drop('unreadable');
    return keepUnread(tx, sent?.domainId ?? (await domainIdOf(tx, address)), mail, at);
  }
  if (found.kind === 'answer') return drop('answer');
  if (id === null) return drop(found.kind === 'complaint' ? 'no_message' : 'answer');
  // This server's log has said it already, or is about to.
  if (found.kind !== 'complaint' && found.reportingMta && (await isOwnHost(tx, found.reportingMta))) return;
  if (!sent) {
    if (await isBeingLogged(tx, id, at))
      throw new Error('The mail log with the message that came back is not read yet');
    return drop('message_deleted');
  }
  if (found.kind === 'complaint') {
    if (!(await recordComplaint(tx, sent, found, at))) await drop('other_recipient');
    return;
  }
  if (!(await recordBounces(tx, sent, found.recipients, at))) await drop('other_recipient');
}

const HEADER_BYTES = 64 * 1024;

/** The subject has the token. Mail programs may fold it. */
async function unsubscribeBy(db: Database, raw: Uint8Array, address: string, at: Date): Promise<void> {
  const subject = readHeader(raw.subarray(0, HEADER_BYTES)).value('subject') ?? '';
  const recipient = await findRecipient(db, subject.replace(/\s+/g, ''));
  if (recipient) await unsubscribe(db, recipient, at);
  else await countDropped(db, await domainIdOf(db, address), 'no_message', at);
}

function messageOf(senders: readonly string[]): string | null {
  return senders.map(messageOfBounceAddress).find((id) => id !== null) ?? null;
}

async function lockSent(tx: Tx, id: string): Promise<Sent | null> {
  const [sent] = await tx.$queryRaw<Sent[]>`
    SELECT id, message_id AS "messageId", queue_id AS "queueId", domain_id AS "domainId"
      FROM message WHERE id = ${id}::uuid AND direction = 'outbound' FOR UPDATE`;
  return sent ?? null;
}

/** @returns whether any of the recipients is one of the message's */
async function recordBounces(tx: Tx, sent: Sent, recipients: RecipientReport[], at: Date): Promise<boolean> {
  const known = await tx.messageEvent.findMany({
    where: { messageId: sent.id, type: { in: ['delayed', 'relayed'] } },
    select: { type: true, recipient: true },
  });
  const addresses = await tx.messageRecipient.findMany({ where: { messageId: sent.id }, select: { address: true } });
  const byName = new Map(addresses.map(({ address }) => [address.toLowerCase(), address]));
  const reports = recipients.flatMap((report): Report[] => {
    const recipient = report.addresses.map((name) => byName.get(name.toLowerCase())).find(Boolean);
    if (recipient === undefined) return [];
    const { action, smtpCode, enhancedCode, response, remoteMta } = report;
    const { messageId, queueId } = sent;
    const about = { messageId, queueId, recipient, smtpCode, enhancedCode, response, remoteMta, at };
    if (action === 'failed') return [{ ...about, kind: 'bounced', cause: 'bounce_report' }];
    const isKnown = known.some((event) => event.type === action && event.recipient === recipient);
    known.push({ type: action, recipient });
    return isKnown ? [] : [{ ...about, kind: action }];
  });
  await recordReports(tx, reports);
  return recipients.some((report) => report.addresses.some((name) => byName.has(name.toLowerCase())));
}

async function isOwnHost(tx: Tx, name: string): Promise<boolean> {
  const host = name.replace(/\.$/, '');
  if (host === '') return false;
  const found = await tx.$queryRaw<object[]>`SELECT 1 FROM mta.is_mail_host(${host})`;
  return found.length > 0;
}

async function domainIdOf(tx: Tx, address: string): Promise<string | null> {
  const name = domainOf(address).toLowerCase();
  return (await tx.domain.findUnique({ where: { name }, select: { id: true } }))?.id ?? null;
}
