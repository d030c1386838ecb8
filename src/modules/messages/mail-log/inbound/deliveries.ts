import pLimit from 'p-limit';
import { isBounceAddress, REPORT_LOCAL_PARTS } from '@/lib/mail/report-addresses';
import type { MessageCopies } from '@/mail/agent/message-copies';
import type { InboundMail, ResolvedAddress, SpamVerdict } from '@/mail/inbound/port';
import type { LoggedVerdict } from '@/mail/log/filter-log';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { findDeliveryPaths } from '../../inbound/delivery-paths';
import { domainOf } from '../../inbound/header';
import { receiveMessage } from '../../inbound/receive';
import { recordInbound } from '../../inbound/record';
import { storeRejected } from '../filter-entries';
import { metaOf } from '../filter-meta';
import { contentOf, verdictIn } from './content';
import { type Addressed, findReportAddresses } from './own-domains';
import { type Delivery, findDomainIdsTogether, findRows, findStored, type Stored } from './stored';

const BATCH_SIZE = 100;
// Deliveries in progress share statements.
const CONCURRENCY = 25;
const FETCH_CONCURRENCY = 4;
// Reading reports takes seconds, and anybody can send them.
const WITH_REPORTS_CONCURRENCY = 1;
// After this, a message still waiting for some recipients is reported for the others.
const WAIT_FOR_RECIPIENTS_MS = 3_000;
// How long to wait for the filter's entry while its stream is unavailable; longer than a Redis restart.
const WAIT_FOR_FILTER_MS = 30_000;
const GIVE_UP_READING_AFTER_MS = 5 * 60_000;
const MAX_PAUSE_MS = 60_000;

export type ReportRun = { now: Date; isStreamRead: boolean };

/**
 * Reports inbound deliveries found in the log, with the filter's verdict if there is one: records the message and emits its
 * events. Each delivery is marked in the same transaction, so it is reported once. A failing one does not block others, nor
 * does one to an address whose mail is read for reports.
 */
export function createDeliveryReporter(db: Database, copies: MessageCopies) {
  const failures = new Map<string, { count: number; until: number }>();

  async function reportOne(queueId: string, now: Date): Promise<void> {
    try {
      await report(db, copies, queueId, now);
      failures.delete(queueId);
    } catch (error) {
      const count = (failures.get(queueId)?.count ?? 0) + 1;
      failures.set(queueId, { count, until: now.getTime() + Math.min(2 ** count * 500, MAX_PAUSE_MS) });
      log.warn({ queue_id: queueId, count, error }, 'cannot record inbound delivery, retrying');
    }
  }

  const withReports = new Set<string>();
  const limitWithReports = pLimit(WITH_REPORTS_CONCURRENCY);

  function reportAside(queueId: string, now: Date): void {
    withReports.add(queueId);
    void limitWithReports(() => reportOne(queueId, now)).finally(() => withReports.delete(queueId));
  }

  /** @returns the number of messages processed, or started if they may have reports */
  return async (run: ReportRun): Promise<number> => {
    const waiting = [...failures].filter(([, { until }]) => until > run.now.getTime()).map(([queueId]) => queueId);
    const found = await findUnreported(db, run, [...waiting, ...withReports]);
    for (const { queueId } of found.filter(({ mayHaveReports }) => mayHaveReports)) reportAside(queueId, run.now);
    const others = found.filter(({ mayHaveReports }) => !mayHaveReports);
    const limit = pLimit(CONCURRENCY);
    await Promise.all(others.map(({ queueId }) => limit(() => reportOne(queueId, run.now))));
    return found.length;
  };
}

const limitFetches = pLimit(FETCH_CONCURRENCY);

type Unreported = { queueId: string; mayHaveReports: boolean };

async function findUnreported(db: Database, { now, isStreamRead }: ReportRun, except: string[]): Promise<Unreported[]> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  return db.$queryRaw<Unreported[]>`
    SELECT d.queue_id AS "queueId",
           bool_or(split_part(d.recipient, '@', 1) = ANY(${LOCAL_PARTS}::text[]) OR named.id IS NOT NULL) AS "mayHaveReports"
      FROM inbound_delivery d JOIN logged_mail m ON m.queue_id = d.queue_id
      LEFT JOIN domain own ON own.name = split_part(d.recipient, '@', 2)
      LEFT JOIN mailbox named ON named.id = own.report_mailbox_id AND named.local_part = split_part(d.recipient, '@', 1)
     WHERE d.reported_at IS NULL AND d.queue_id <> ALL(${except}::text[])
       AND (m.removed_at IS NOT NULL OR d.at < ${before(WAIT_FOR_RECIPIENTS_MS)})
       AND (m.verdict IS NOT NULL OR m.login IS NOT NULL OR ${isStreamRead} OR d.at < ${before(WAIT_FOR_FILTER_MS)})
     GROUP BY d.queue_id ORDER BY min(d.at) LIMIT ${BATCH_SIZE}`;
}

const LOCAL_PARTS: string[] = Object.values(REPORT_LOCAL_PARTS);

async function report(db: Database, copies: MessageCopies, queueId: string, now: Date): Promise<void> {
  const found = await findStored(queueId);
  const rejection = await findRejection(copies, found, now);
  if (rejection)
    await db.$transaction((tx) => storeRejected(tx, queueId, rejection.recipients, firstDelivery(found).at));
  const stored = rejection ? await findStored(queueId) : found;
  const unreported = stored.deliveries.filter(({ reportedAt }) => reportedAt === null);
  const recorded = await findRecorded(db, queueId);
  const isNew = ({ recipient, addressedTo }: Delivery) => !recorded.has(`${addressedTo} ${recipient}`);
  const mail = await inboundMail(db, copies, stored, { unreported: unreported.filter(isNew), rejection, now });
  if (mail) await receiveMessage(mail, unreported);
  else await recordInbound(db, { queueId, deliveries: unreported, rows: [], events: [] });
}

/** Deliveries already in the message rows: the log may repeat one after its `logged_mail` row was deleted. */
async function findRecorded(db: Database, queueId: string): Promise<Set<string>> {
  const rows = (await findRows(queueId)) ?? [];
  const paths = await Promise.all(rows.map(({ id }) => findDeliveryPaths(db, id)));
  const received = paths.flat().filter(({ status }) => status === 'received');
  const spam = rows.flatMap(({ spamAddresses }) => spamAddresses.map((address) => `${address} ${address}`));
  return new Set([...received.map(({ address, destination }) => `${address} ${destination}`), ...spam]);
}

/** Null if none of the addresses is in a managed domain, such as the mail server's own postmaster. */
async function inboundMail(
  db: Database,
  copies: MessageCopies,
  stored: Stored,
  { unreported, rejection, now }: { unreported: Delivery[]; rejection: SpamVerdict | null; now: Date },
): Promise<InboundMail | null> {
  const { queueId } = stored;
  const meta = metaOf(stored);
  const isRejected = wasRejected(stored);
  const reportAddresses = await findReportAddresses(
    db,
    unreported.map(({ recipient }) => recipient),
  );
  const resolved = isRejected ? await resolveRejected(unreported) : await resolveDelivered(unreported, reportAddresses);
  if (resolved.length === 0) return null;

  const reported = stored.deliveries.filter(({ reportedAt }) => reportedAt !== null);
  const isMailbox = ({ recipient, isForwarded }: Delivery) => !isForwarded && !reportAddresses.has(recipient);
  const mailbox = unreported.find(isMailbox)?.recipient;
  const content = await contentOf(stored, async (part) => {
    if (!mailbox || isRejected) return null;
    return limitFetches(() => copies.fetch(mailbox, queueId, part)).catch(
      orGiveUp(now, unreported[0]?.at ?? now, queueId),
    );
  });
  const verdict = meta ?? rejection ?? verdictIn(content.header) ?? { score: 0, action: 'no action' };
  return {
    queueId,
    mailFrom: stored.mailFrom ?? meta?.from ?? '',
    resolved,
    sizeBytes: stored.sizeBytes ?? meta?.size ?? content.header.byteLength,
    ...content,
    verdict: { score: verdict.score, action: verdict.action },
    authenticatedDomain: meta ? (meta.authenticated_domain ?? null) : undefined,
    spam: isRejected ? 'blocked' : MARKED.has(verdict.action) ? 'delivered' : 'no',
    receivedAt: unreported[0]?.at ?? now,
    reportedMailboxes: reported.filter(({ isForwarded }) => !isForwarded).map(({ recipient }) => recipient),
    reportedAddresses: reported.map(({ addressedTo }) => addressedTo),
  };
}

function wasRejected({ verdict }: Stored): boolean {
  return (verdict as { action?: string } | null)?.action === 'reject';
}

/** The verdict from the filter's log, for rejected mail that is missing from its stream. */
async function findRejection(copies: MessageCopies, stored: Stored, now: Date): Promise<LoggedVerdict | null> {
  if (!wasRejected(stored) || metaOf(stored)) return null;
  const { queueId } = stored;
  return copies.findVerdict(queueId).catch(orGiveUp(now, firstDelivery(stored).at, queueId));
}

function firstDelivery({ deliveries }: Stored): Delivery {
  const [first] = deliveries;
  if (!first) throw new Error('no delivery is stored');
  return first;
}

/** Rethrows for a while so that the next run retries, then gives up and returns null. */
function orGiveUp(now: Date, since: Date, queueId: string) {
  return (error: unknown) => {
    if (now.getTime() - since.getTime() < GIVE_UP_READING_AFTER_MS) throw error;
    log.error(
      { queue_id: queueId, error },
      'cannot read message content from the mail server, reporting the message without it',
    );
    return null;
  };
}

const MARKED: ReadonlySet<string> = new Set(['add header', 'rewrite subject']);

async function resolveRejected(deliveries: Addressed[]): Promise<ResolvedAddress[]> {
  const domainIds = await findDomainIdsTogether(deliveries);
  return deliveries.flatMap(({ addressedTo: address }) => {
    const domainId = domainIds.get(domainOf(address));
    return domainId ? [{ address, domainId, destinations: [] }] : [];
  });
}

async function resolveDelivered(
  deliveries: Delivery[],
  reportAddresses: ReadonlySet<string>,
): Promise<ResolvedAddress[]> {
  const domainIds = await findDomainIdsTogether(deliveries);
  const resolved = new Map<string, ResolvedAddress>();
  for (const { addressedTo, recipient, isForwarded } of deliveries) {
    // The agent has read it. The trace of the sent message shows what it said.
    if (isBounceAddress(recipient)) continue;
    const ownId = isForwarded ? null : (domainIds.get(domainOf(recipient)) ?? null);
    const domainId = domainIds.get(domainOf(addressedTo)) ?? ownId;
    if (domainId === null) continue;
    const route = resolved.get(addressedTo) ?? { address: addressedTo, domainId, destinations: [] };
    const isForReports = ownId !== null && reportAddresses.has(recipient);
    route.destinations.push({ address: recipient, domainId: ownId, ...(isForReports && { reports: 'stored' }) });
    resolved.set(addressedTo, route);
  }
  return [...resolved.values()];
}
