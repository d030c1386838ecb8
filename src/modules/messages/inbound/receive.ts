import pLimit from 'p-limit';
import { parseAddress } from '@/lib/mail/address';
import { uuidv7 } from '@/lib/uuid';
import type { InboundMail, Resolution, ResolvedAddress } from '@/mail/inbound/port';
import { type ArrivedReports, NO_REPORTS } from '@/modules/reports/service';
import { type Database, database, type Tx } from '@/server/database/db';
import { keepContent } from '../content/keeping/keep';
import type { InboundRoute } from '../schema';
import { type ContentEvents, withContentEvents } from './content/events';
import { deliveredMailboxes } from './delivered-mailboxes';
import { updateInboundStatus } from './delivery-paths';
import { domainOf, type Header, readHeader } from './header';
import { fieldsOf, type InboundRow, type TraceRow } from './message-row';
import { type InboundRecord, recordInbound, recordNew, type ShownDelivery, type StoredRow } from './record';
import { readReportsIn, storeBouncesIn } from './reports';

/** Resolves a recipient (docs/api-contract.md, Aliases rule 5) with the SQL function that the real mail server uses. */
export async function resolveRecipient(db: Database, given: string): Promise<Resolution> {
  const parsed = parseAddress(given);
  if (!parsed) return refused('not_an_address');
  const local = parsed.local.toLowerCase();
  const rows = await db.$queryRaw<Resolved[]>`
    SELECT d.id AS "domainId", d.active AS "isActive", r.address, o.id AS "mailboxDomainId",
           t.transport IS NOT NULL AS "isForReports"
      FROM domain d
      LEFT JOIN LATERAL mta.resolve(${local}, d.name) AS r(address) ON true
      LEFT JOIN domain o ON o.name = lower(split_part(r.address, '@', 2))
      LEFT JOIN LATERAL mta.report_transport(split_part(r.address, '@', 1), o.name) AS t(transport) ON true
     WHERE d.name = ${parsed.domain}`;
  const [first] = rows;
  if (!first) return refused('not_managed');
  if (!first.isActive) return refused('inactive_domain');
  const destinations = rows.flatMap(({ address, mailboxDomainId, isForReports }) =>
    address === null ? [] : [{ address, domainId: mailboxDomainId, ...(isForReports && UNREAD) }],
  );
  if (destinations.length === 0) return refused('no_such_user');
  return { isAccepted: true, address: `${local}@${parsed.domain}`, domainId: first.domainId, destinations };
}

const UNREAD = { reports: 'unread' as const };

/**
 * Records inbound mail, one message per domain it was addressed to, and emits its events. Later deliveries under the same
 * queue id update the same messages.
 * @param deliveries those in the log that are reported by this; without them, a queue id that is already recorded is skipped
 */
export async function receiveMessage(given: InboundMail, deliveries: ShownDelivery[] | null = null): Promise<void> {
  if (!deliveries && (await isRecorded(given))) return;
  const mail = await storeBouncesIn(given);
  if (mail.resolved.length === 0) return;
  const header = await readHeader(mail);
  const reports = await readReportsIn(mail);
  const record = recordOf(mail, header, deliveries);
  let stored: StoredRow[] = [];
  await withContentEvents(mail, header, async (full) => {
    const isAlone = full.totalBytes > 0 || reports !== NO_REPORTS;
    const timeout = timeoutOf(mail, full) + reports.storeTimeoutMs;
    stored =
      (isAlone ? null : await recordNew(record)) ??
      (await inTransaction((tx) => recordAlone(tx, mail, record, { full, reports }), timeout));
  });
  const { sizeBytes, receivedAt: at, read, readWhole = read } = mail;
  for (const { id: messageId, domainId, isKnown: isPerhapsKept } of stored)
    keepContent({ messageId, domainId, sizeBytes, at, read: readWhole, isPerhapsKept });
}

// A fraction of the connections, which the mail server's lookups share.
const limitTransactions = pLimit(4);

function inTransaction(work: (tx: Tx) => Promise<StoredRow[]>, timeout: number): Promise<StoredRow[]> {
  return limitTransactions(() => database().$transaction(work, { timeout }));
}

type InContent = { full: ContentEvents; reports: ArrivedReports };

async function recordAlone(tx: Tx, mail: InboundMail, record: InboundRecord, content: InContent): Promise<StoredRow[]> {
  const stored = await recordInbound(tx, record);
  if (stored.length === 0) return stored;
  for (const { id } of stored.filter(({ isKnown }) => isKnown)) await updateInboundStatus(tx, id);
  await content.full.emit(tx, new Map(stored.map(({ domainId, id }) => [domainId, id])));
  await content.reports.store(tx, mail.receivedAt);
  return stored;
}

const TRANSACTION_TIMEOUT_MS = 10_000;
const SLOWEST_BYTES_PER_MS = 1_000;
// Every address emits its own events.
const SLOWEST_MS_PER_ADDRESS = 50;

function timeoutOf({ resolved }: InboundMail, { totalBytes }: ContentEvents): number {
  const forAddresses = resolved.length * SLOWEST_MS_PER_ADDRESS;
  return TRANSACTION_TIMEOUT_MS + forAddresses + Math.ceil(totalBytes / SLOWEST_BYTES_PER_MS);
}

async function isRecorded({ queueId }: InboundMail): Promise<boolean> {
  return (
    (await database().message.findFirst({ where: { queueId, direction: 'inbound' }, select: { id: true } })) !== null
  );
}

type Resolved = {
  domainId: string;
  isActive: boolean;
  address: string | null;
  mailboxDomainId: string | null;
  isForReports: boolean;
};

function refused(reason: Extract<Resolution, { isAccepted: false }>['reason']): Resolution {
  return { isAccepted: false, reason };
}

function recordOf(mail: InboundMail, header: Header, deliveries: ShownDelivery[] | null): InboundRecord {
  const domainIds = [...new Set(mail.resolved.map(({ domainId }) => domainId))];
  const spam = mail.spam === 'no' ? [] : spamEvents(mail, header);
  const received = mail.spam === 'blocked' ? [] : receivedEvents(mail, header);
  return {
    queueId: mail.queueId,
    deliveries,
    rows: domainIds.map((domainId) => rowIn(domainId, mail, header)),
    events: [...spam, ...received],
  };
}

function rowIn(domainId: string, mail: InboundMail, header: Header): InboundRow {
  const resolved = mail.resolved.filter((route) => route.domainId === domainId);
  const status = mail.spam === 'blocked' ? 'spam' : 'received';
  const addresses = [...new Set(resolved.map(({ address }) => address))];
  const routeOf = (address: string) => routeTo(resolved.filter((route) => route.address === address));
  const spam = mail.spam === 'no' ? [] : spamTrace(mail, addresses);
  return {
    queueId: mail.queueId,
    domainId,
    recipients: addresses.map((address) => ({ address, route: status === 'spam' ? 'filter' : routeOf(address) })),
    status,
    at: mail.receivedAt,
    fields: { ...fieldsOf(header), sizeBytes: mail.sizeBytes, spamScore: mail.verdict.score },
    trace: mail.spam === 'blocked' ? spam : [...spam, ...deliveryTrace(mail, resolved)],
  };
}

function routeTo(resolved: ResolvedAddress[]): InboundRoute {
  const destinations = resolved.flatMap((route) => route.destinations);
  if (destinations.some((to) => to.domainId !== null && !to.reports)) return 'mailbox';
  return destinations.some((to) => to.reports) ? 'reports' : 'forwarded';
}

function deliveryTrace({ receivedAt: at }: InboundMail, resolved: ResolvedAddress[]): TraceRow[] {
  return resolved.flatMap(({ address, destinations }) => {
    const elsewhere = destinations.filter(({ domainId }) => domainId === null).map((to) => to.address);
    const forwarded = elsewhere.length > 0 ? { forwarded_to: elsewhere } : {};
    const managed = destinations.filter(({ domainId }) => domainId !== null);
    if (managed.length === 0) {
      const detail = { route: 'forwarded', ...forwarded };
      return [{ id: uuidv7(), type: 'forwarded', at, recipient: address, detail }];
    }
    return managed.map(({ address: recipient, reports }) => {
      const alias = recipient === address ? {} : { addressed_to: address };
      const route = reports ? 'reports' : 'mailbox';
      return { id: uuidv7(), type: 'received', at, recipient, detail: { route, ...alias, ...forwarded } };
    });
  });
}

function spamTrace(
  { receivedAt: at, verdict, spam, reportedAddresses: addressedBefore }: InboundMail,
  addresses: string[],
): TraceRow[] {
  const filtered = spam === 'blocked' ? { route: 'filter' } : {};
  const detail = { ...filtered, spam_score: verdict.score, spam_action: verdict.action };
  return addresses
    .filter((address) => !addressedBefore?.includes(address))
    .map((recipient) => ({ id: uuidv7(), type: 'spam', at, recipient, detail }));
}

function receivedEvents(mail: InboundMail, header: Header): InboundRecord['events'] {
  const { messageId, from, subject } = header;
  const [size, queueId, at] = [mail.sizeBytes, mail.queueId, mail.receivedAt];
  return deliveredMailboxes(mail).map(({ address: to, domainId, viaDomainId }) => {
    const data = { message_id: messageId, from, to, domain: domainOf(to), subject, size, queue_id: queueId };
    return { viaDomainId, event: { type: 'mail.received' as const, messageId, domainId, at, data } };
  });
}

function spamEvents(mail: InboundMail, { messageId, from }: Header): InboundRecord['events'] {
  const verdict = { spam_score: mail.verdict.score, spam_action: mail.verdict.action };
  const reported = mail.resolved.filter(({ address }) => !mail.reportedAddresses?.includes(address));
  return reported.map(({ address: to, domainId }) => {
    const data = { message_id: messageId, from, to, domain: domainOf(to), ...verdict };
    const subject = { type: 'mail.spam' as const, messageId, domainId, at: mail.receivedAt };
    return { viaDomainId: domainId, event: { ...subject, data } };
  });
}
