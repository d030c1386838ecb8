import pLimit from 'p-limit';
import type { KeptCopies } from '@/mail/agent/kept-copies';
import type { LoggedVerdict } from '@/mail/agent/logs/filter-log';
import type { InboundMail, Route, Verdict } from '@/mail/inbound';
import type { Database, Tx } from '@/server/db';
import { log } from '@/server/log';
import type { Prisma } from '@/server/prisma/client';
import { domainOf } from '../../inbound/header';
import { receiveMessage } from '../../inbound/receive';
import { findDeliveryPaths } from '../../inbound/delivery-paths';
import { metaOf } from '../filter-meta';
import { storeRejected } from '../filter-entries';
import { contentOf, verdictIn } from './content';
import { type Addressed, findDomainIds } from './own-domains';

const BATCH_SIZE = 100;
const CONCURRENCY = 4;
// A message that waits for one of its recipients is told of for those it reached.
const WAIT_FOR_RECIPIENTS_MS = 3_000;
// The filter's stream is away: longer than Redis takes to start again.
const WAIT_FOR_FILTER_MS = 30_000;
const GIVE_UP_READING_AFTER_MS = 5 * 60_000;
const MAX_PAUSE_MS = 60_000;

export type ReportRun = { now: Date; isStreamRead: boolean };

/**
 * Records as received what the log says has arrived, with what the filter said of it, or without that once it is known
 * that nothing comes. Each arrival is told once: it is marked in the transaction that tells it. One that cannot be told
 * waits, and keeps no other waiting.
 */
export function createDeliveryReporter(db: Database, copies: KeptCopies) {
  const failures = new Map<string, { count: number; until: number }>();

  async function reportOne(queueId: string, now: Date): Promise<void> {
    try {
      await report(db, copies, queueId, now);
      failures.delete(queueId);
    } catch (error) {
      const count = (failures.get(queueId)?.count ?? 0) + 1;
      failures.set(queueId, { count, until: now.getTime() + Math.min(2 ** count * 500, MAX_PAUSE_MS) });
      log.warn({ queueId, count, error }, 'an arrival could not be recorded; trying on');
    }
  }

  /** @returns how many messages it was about */
  return async (turn: ReportRun): Promise<number> => {
    const waiting = [...failures].filter(([, { until }]) => until > turn.now.getTime()).map(([queueId]) => queueId);
    const queueIds = await findUnreported(db, turn, waiting);
    const limit = pLimit(CONCURRENCY);
    await Promise.all(queueIds.map((queueId) => limit(() => reportOne(queueId, turn.now))));
    return queueIds.length;
  };
}

async function findUnreported(db: Database, { now, isStreamRead }: ReportRun, except: string[]): Promise<string[]> {
  const before = (ms: number) => new Date(now.getTime() - ms);
  const rows = await db.$queryRaw<{ queueId: string }[]>`
    SELECT a.queue_id AS "queueId"
      FROM inbound_delivery a JOIN logged_mail t ON t.queue_id = a.queue_id
     WHERE a.reported_at IS NULL AND a.queue_id <> ALL(${except}::text[])
       AND (t.removed_at IS NOT NULL OR a.at < ${before(WAIT_FOR_RECIPIENTS_MS)})
       AND (t.verdict IS NOT NULL OR t.login IS NOT NULL OR ${isStreamRead} OR a.at < ${before(WAIT_FOR_FILTER_MS)})
     GROUP BY a.queue_id ORDER BY min(a.at) LIMIT ${BATCH_SIZE}`;
  return rows.map(({ queueId }) => queueId);
}

const STORED = { include: { deliveries: { orderBy: [{ at: 'asc' }, { recipient: 'asc' }] } } } satisfies {
  include: Prisma.LoggedMailInclude;
};
type Stored = Prisma.LoggedMailGetPayload<typeof STORED>;
type Delivery = Stored['deliveries'][number];

async function report(db: Database, copies: KeptCopies, queueId: string, now: Date): Promise<void> {
  const find = () => db.loggedMail.findUniqueOrThrow({ where: { queueId }, ...STORED });
  const found = await find();
  const logged = await findRejection(copies, found, now);
  if (logged) await db.$transaction((tx) => storeRejected(tx, queueId, logged.recipients, firstDelivery(found).at));
  const stored = logged ? await find() : found;
  const untold = stored.deliveries.filter(({ reportedAt }) => reportedAt === null);
  const recorded = await findRecorded(db, queueId);
  const isNew = ({ recipient, addressedTo }: Delivery) => !recorded.has(`${addressedTo} ${recipient}`);
  const mail = await inboundMail(db, copies, stored, { untold: untold.filter(isNew), logged, now });
  const claim = (tx: Tx) => markReported(tx, queueId, untold);
  if (mail) await receiveMessage(db, mail, claim);
  else await db.$transaction(claim);
}

/** The ways by which the message arrived as its rows say: the log may tell of them again when all else is forgotten. */
async function findRecorded(db: Database, queueId: string): Promise<Set<string>> {
  const rows = await db.message.findMany({
    where: { queueId, direction: 'inbound' },
    select: { id: true, recipients: { where: { status: 'spam' }, select: { address: true } } },
  });
  const legs = await Promise.all(rows.map(({ id }) => findDeliveryPaths(db, id)));
  const arrived = legs.flat().filter(({ status: standing }) => standing === 'received');
  const spam = rows.flatMap(({ recipients }) => recipients.map(({ address }) => `${address} ${address}`));
  return new Set([...arrived.map(({ address, destination }) => `${address} ${destination}`), ...spam]);
}

/**
 * False where another has told them meanwhile.
 * @throws where another has told some of them, so that none is marked and the rest is told by itself
 */
async function markReported(tx: Tx, queueId: string, untold: Delivery[]): Promise<boolean> {
  const marked = await tx.$executeRaw`
    UPDATE inbound_delivery a SET reported_at = now()
      FROM unnest(${untold.map(({ recipient }) => recipient)}::text[],
                  ${untold.map(({ addressedTo }) => addressedTo)}::text[]) AS told(recipient, addressed_to)
     WHERE a.queue_id = ${queueId} AND a.recipient = told.recipient AND a.addressed_to = told.addressed_to
       AND a.reported_at IS NULL`;
  if (marked === 0) return false;
  if (marked !== untold.length) throw new Error('another tells of some of it');
  await tx.loggedMail.updateMany({ where: { queueId, removedAt: { not: null } }, data: { raw: null } });
  return true;
}

/** Null where none of its addresses is ours, as the mail server's own postmaster. */
async function inboundMail(
  db: Database,
  copies: KeptCopies,
  stored: Stored,
  { untold, logged, now }: { untold: Delivery[]; logged: Verdict | null; now: Date },
): Promise<InboundMail | null> {
  const { queueId } = stored;
  const meta = metaOf(stored);
  const isRefused = wasRejected(stored);
  const routes = isRefused ? await rejectedRoutes(db, untold) : await deliveredRoutes(db, untold);
  if (routes.length === 0) return null;

  const told = stored.deliveries.filter(({ reportedAt }) => reportedAt !== null);
  const mailbox = untold.find(({ isForwarded }) => !isForwarded)?.recipient;
  const content = await contentOf(stored, async (part) => {
    if (!mailbox || isRefused) return null;
    return copies.fetch(mailbox, queueId, part).catch(throwUntilGivenUp(now, untold[0]?.at ?? now, queueId));
  });
  const verdict = meta ?? logged ?? verdictIn(content.header) ?? { score: 0, action: 'no action' };
  return {
    queueId,
    mailFrom: stored.mailFrom ?? meta?.from ?? '',
    routes,
    sizeBytes: stored.sizeBytes ?? meta?.size ?? content.header.byteLength,
    ...content,
    verdict: { score: verdict.score, action: verdict.action },
    spam: isRefused ? 'blocked' : MARKED.has(verdict.action) ? 'delivered' : 'no',
    receivedAt: untold[0]?.at ?? now,
    reportedMailboxes: told.filter(({ isForwarded }) => !isForwarded).map(({ recipient }) => recipient),
    reportedAddresses: told.map(({ addressedTo }) => addressedTo),
  };
}

function wasRejected({ verdict }: Stored): boolean {
  return (verdict as { action?: string } | null)?.action === 'reject';
}

/** What the filter's own log says of mail that it refused, where its stream said nothing. */
async function findRejection(copies: KeptCopies, stored: Stored, now: Date): Promise<LoggedVerdict | null> {
  if (!wasRejected(stored) || metaOf(stored)) return null;
  const { queueId } = stored;
  return copies.findVerdict(queueId).catch(throwUntilGivenUp(now, firstDelivery(stored).at, queueId));
}

function firstDelivery({ deliveries }: Stored): Delivery {
  const [first] = deliveries;
  if (!first) throw new Error('nothing has arrived');
  return first;
}

/** Tries on for a while, and does without then. */
function throwUntilGivenUp(now: Date, since: Date, queueId: string) {
  return (error: unknown) => {
    if (now.getTime() - since.getTime() < GIVE_UP_READING_AFTER_MS) throw error;
    log.error({ queueId, error }, 'what the mail server keeps of a message cannot be read: it is told of without that');
    return null;
  };
}

const MARKED: ReadonlySet<string> = new Set(['add header', 'rewrite subject']);

async function rejectedRoutes(db: Database, deliveries: Addressed[]): Promise<Route[]> {
  const domainIds = await findDomainIds(db, deliveries);
  return deliveries.flatMap(({ addressedTo: address }) => {
    const domainId = domainIds.get(domainOf(address));
    return domainId ? [{ address, domainId, destinations: [] }] : [];
  });
}

async function deliveredRoutes(db: Database, deliveries: Delivery[]): Promise<Route[]> {
  const domainIds = await findDomainIds(db, deliveries);
  const routes = new Map<string, Route>();
  for (const { addressedTo, recipient, isForwarded } of deliveries) {
    const ownId = isForwarded ? null : (domainIds.get(domainOf(recipient)) ?? null);
    const domainId = domainIds.get(domainOf(addressedTo)) ?? ownId;
    if (domainId === null) continue;
    const route = routes.get(addressedTo) ?? { address: addressedTo, domainId, destinations: [] };
    route.destinations.push({ address: recipient, domainId: ownId });
    routes.set(addressedTo, route);
  }
  return [...routes.values()];
}
