import { isBounceAddress } from '@/lib/mail/report-addresses';
import type { Database, Tx } from '@/server/db';
import { domainOf } from '../inbound/header';
import { type Report, recordReports } from '../tracking/outcomes';
import { messageOfBounceAddress } from './bounce-address';
import { readReturnedAside } from './reading/reader';
import type { RecipientReport, ReturnedMail } from './reading/report';
import { countDropped, keepUnread, type ReturnedRaw } from './unread';

/** Mail to bounce addresses, and the sender in its envelope, empty for the null sender. */
export type MailToBounceAddresses = { raw: Uint8Array; sizeBytes: number; mailFrom: string; addresses: string[] };

/** What mail to bounce addresses says, and a function that stores it. */
async function readReturned(mail: MailToBounceAddresses): Promise<(tx: Tx, at: Date) => Promise<void>> {
  const addresses = mail.addresses.filter(isBounceAddress);
  // Nobody but this server's own messages' receivers can make it read something.
  const isSigned = addresses.some((address) => messageOfBounceAddress(address) !== null);
  const found: ReturnedMail = isSigned && mail.mailFrom === '' ? await readReturnedAside(mail.raw) : { kind: 'answer' };
  return async (tx, at) => {
    for (const address of addresses) await store(tx, { ...mail, address }, found, at);
  };
}

/** Stores what mail to bounce addresses says. @throws if trying again may help */
export async function storeReturnedMail(db: Database, mail: MailToBounceAddresses, at: Date): Promise<void> {
  if (!mail.addresses.some(isBounceAddress)) return;
  const storeFound = await readReturned(mail);
  await db.$transaction((tx) => storeFound(tx, at));
}

type Sent = { id: string; messageId: string; queueId: string | null; domainId: string | null };

async function store(tx: Tx, mail: ReturnedRaw, found: ReturnedMail, at: Date): Promise<void> {
  const id = messageOfBounceAddress(mail.address);
  if (id === null) return countDropped(tx, await domainIdOf(tx, mail.address), 'forged', at);
  const [sent] = await tx.$queryRaw<Sent[]>`
    SELECT id, message_id AS "messageId", queue_id AS "queueId", domain_id AS "domainId"
      FROM message WHERE id = ${id}::uuid AND direction = 'outbound' FOR UPDATE`;
  if (!sent) return countDropped(tx, await domainIdOf(tx, mail.address), 'message_deleted', at);
  const { domainId } = sent;
  if (found.kind === 'nothing') return;
  if (found.kind === 'answer') return countDropped(tx, domainId, 'answer', at);
  if (found.kind === 'unreadable') {
    await countDropped(tx, domainId, 'unreadable', at);
    return keepUnread(tx, domainId, mail, at);
  }
  // This server's log has said it already, or is about to.
  if (found.reportingMta && (await isOwnHost(tx, found.reportingMta))) return;
  if (!(await record(tx, sent, found.recipients, at))) await countDropped(tx, domainId, 'other_recipient', at);
}

/** @returns whether any of the recipients is one of the message's */
async function record(tx: Tx, sent: Sent, recipients: RecipientReport[], at: Date): Promise<boolean> {
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
  return (await tx.mailAgent.count({ where: { host: name.toLowerCase().replace(/\.$/, '') } })) > 0;
}

async function domainIdOf(tx: Tx, address: string): Promise<string | null> {
  const name = domainOf(address).toLowerCase();
  return (await tx.domain.findUnique({ where: { name }, select: { id: true } }))?.id ?? null;
}
