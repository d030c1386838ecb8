import { uuidv7 } from '@/lib/uuid';
import { type Labels, labelsOf } from '@/modules/messages/schema';
import { keepContent, openWaiting, recordNotAllowed } from '@/modules/messages/service';
import type { UsedTemplate } from '@/modules/templates/schema';
import { kickDeliveries } from '@/modules/webhooks/service';
import { identifyLater } from '@/server/access/actor';
import { requirePermission } from '@/server/access/authorize';
import { auditRow, type Entry, insertAuditEntry } from '@/server/audit';
import type { TaskContext } from '@/server/background/task';
import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import { env } from '@/server/settings/env';
import type { PreparedMessage } from '../composing/message-jobs';
import { admitMessages, type MessageRow } from '../submission/message-row';
import { hasOutcome, PutBack, submitMessage } from '../submission/submit';
import {
  type Claimed,
  claimDue,
  endClaim,
  LostClaim,
  lockClaimed,
  markDataSent,
  putBack,
  renewClaim,
  settleInterrupted,
} from './claims';

const LANES = 5;
const RENEWAL_MS = 10_000;
const RETRY_SECONDS = 60;
const HOUR_MS = 3_600_000;

type Work = Pick<TaskContext, 'db' | 'clock'>;

/** Sends the messages that are due, a few at a time, until there are none. */
export async function sendDueMessages({ db, clock, signal }: TaskContext): Promise<void> {
  const lane = async () => {
    while (!signal.aborted) {
      const claimed = await claimDue(db);
      if (!claimed) return;
      await sendClaimed({ db, clock }, claimed);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: LANES }, lane));
  for (const lane of ended) if (lane.status === 'rejected') throw lane.reason;
}

/** Sends or settles a claimed message. After an unexpected error, the claim expires and the next attempt takes the message. */
async function sendClaimed(work: Work, claimed: Claimed): Promise<void> {
  const { db, clock } = work;
  const about = { message: claimed.id };
  const renewal = setInterval(() => {
    renewClaim(db, claimed).catch((error) => log.warn({ ...about, error }, 'renewing the claim of a message failed'));
  }, RENEWAL_MS);
  try {
    if (claimed.status === 'scheduled') await sendScheduled(work, claimed);
    else if (claimed.status === 'submitting' && !claimed.isDataSent)
      // Its process ended before the text left, so it certainly was not accepted.
      await putBack(db, claimed, { delaySeconds: 0, at: clock.now() });
    else {
      const audit = (tx: Tx) => auditUnsent(tx, work, claimed, { outcome: 'uncertain' });
      await keepingText(work, claimed, () => settleInterrupted(db, claimed, { at: clock.now(), audit }));
    }
  } catch (error) {
    log.error({ ...about, error }, 'sending a scheduled message failed');
  } finally {
    clearInterval(renewal);
  }
}

async function sendScheduled(work: Work, claimed: Claimed): Promise<void> {
  const { db, clock } = work;
  try {
    const message = await loadMessage(work, claimed.id);
    requireInTime(claimed, clock.now());
    await submitScheduled(work, claimed, message);
  } catch (error) {
    if (error instanceof PutBack || error instanceof LostClaim || hasOutcome(error)) return;
    if (!(error instanceof AppError)) throw error;
    if (error.status === 503) await putBack(db, claimed, { ...RETRY, reason: error.message, at: clock.now() });
    else await keepingText(work, claimed, () => fail(work, claimed, error.message));
  }
}

const RETRY = { delaySeconds: RETRY_SECONDS };

async function submitScheduled({ db, clock }: Work, claimed: Claimed, message: PreparedMessage): Promise<void> {
  const actor = await identifyLater(claimed, clock.now());
  requirePermission(actor, 'send');
  const request = newRequest();
  await submitMessage({ db, clock, actor, request }, message, {
    storeOutcome: async ({ outcome, domain, messageId, suppressed }, store) => {
      // Once the text was sent, nobody else sends the message.
      if (outcome.outcome === 'refused' && !(await renewClaim(db, claimed))) return;
      const details = {
        ...{ message_id: messageId, from: message.from, subject: message.subject, outcome: outcome.outcome },
        ...(suppressed.length > 0 && { suppressed }),
      };
      const facts = { actor, domainId: domain.id, details };
      await store(auditRow({ request, clock }, entryOf(claimed, outcome.outcome === 'accepted', facts)));
      await endClaim(db, claimed);
    },
    due: {
      id: claimed.id,
      admit: (row: MessageRow) =>
        db.$transaction(async (tx) => {
          if ((await lockClaimed(tx, claimed)) !== 'scheduled') throw new LostClaim();
          const [admission] = await admitMessages(tx, [row], 'due');
          return admission as NonNullable<typeof admission>;
        }),
      beforeData: () => markDataSent(db, claimed),
      putBack: (reason) => putBack(db, claimed, { ...RETRY, reason, at: clock.now() }),
    },
  });
}

async function loadMessage({ db, clock }: Work, id: string): Promise<PreparedMessage> {
  const row = await db.message.findUniqueOrThrow({
    where: { id },
    select: {
      messageId: true,
      fromAddress: true,
      subject: true,
      tags: true,
      metadata: true,
      template: true,
      recipients: { select: { address: true, kind: true }, orderBy: { id: 'asc' } },
      scheduled: { select: { isTransactional: true, list: true } },
    },
  });
  const { messageId, fromAddress: from, subject, recipients } = row;
  const opened = await openWaiting(db, { id, messageId, date: clock.now() });
  if ('problem' in opened)
    throw new AppError(opened.isKeyMissing ? 'SERVICE_UNAVAILABLE' : 'CONTENT_UNAVAILABLE', opened.problem);
  const envelope = { from, to: recipients.map(({ address }) => address) };
  const isTransactional = row.scheduled?.isTransactional;
  return {
    from,
    recipients,
    subject,
    messageId,
    raw: opened.raw,
    envelope,
    isTransactional,
    list: row.scheduled?.list,
    ...labelsOf(row as Labels),
    ...(row.template !== null && { template: row.template as UsedTemplate }),
  };
}

/** Ends a message that isn't sent, or may have been, and keeps its text as that of other messages, so that it can be sent again. */
async function keepingText({ db, clock }: Work, { id }: Claimed, end: () => Promise<boolean>): Promise<void> {
  const { messageId, domainId } = await db.message.findUniqueOrThrow({
    where: { id },
    select: { messageId: true, domainId: true },
  });
  const opened = await openWaiting(db, { id, messageId, date: clock.now() });
  if (!(await end()) || 'problem' in opened) return;
  const { raw } = opened;
  keepContent({ messageId: id, domainId, sizeBytes: raw.byteLength, at: clock.now(), read: async () => raw });
}

/** After an outage, a message may be too old to be of use. */
function requireInTime({ sendAt }: Claimed, now: Date): void {
  const hours = env().scheduledLateHours;
  if (!sendAt || now.getTime() - sendAt.getTime() <= hours * HOUR_MS) return;
  throw new AppError('CONFLICT', `The message could not be sent within ${hours} hours after its time.`);
}

/** @returns false if the claim was lost */
async function fail(work: Work, claimed: Claimed, reason: string): Promise<boolean> {
  const { db, clock } = work;
  const hasFailed = await db.$transaction(async (tx) => {
    if ((await lockClaimed(tx, claimed)) !== 'scheduled') return false;
    await recordNotAllowed(tx, claimed.id, { reason, at: clock.now() });
    await auditUnsent(tx, work, claimed, { outcome: 'refused', reason });
    await endClaim(tx, claimed);
    return true;
  });
  kickDeliveries();
  return hasFailed;
}

/** Records why a message did not leave, or that it may have. Its key, or the admin, may be gone. */
async function auditUnsent(tx: Tx, { clock }: Work, claimed: Claimed, more: object): Promise<void> {
  const { id, adminId, keyId } = claimed;
  const { messageId, domainId, fromAddress, subject } = await tx.message.findUniqueOrThrow({
    where: { id },
    select: { messageId: true, domainId: true, fromAddress: true, subject: true },
  });
  const admin = await tx.admin.findUnique({ where: { id: adminId }, select: { id: true, email: true } });
  const details = { message_id: messageId, from: fromAddress, subject, ...more };
  const actor = admin && { admin, key: keyId === null ? null : { id: keyId } };
  const entry = entryOf(claimed, false, { actor, domainId, details });
  await insertAuditEntry(tx, { request: newRequest(), clock }, entry);
}

function entryOf({ id }: Claimed, hasLeft: boolean, facts: Pick<Entry, 'actor' | 'domainId' | 'details'>): Entry {
  return {
    action: 'message.send_scheduled',
    outcome: hasLeft ? 'success' : 'error',
    resource: `message:${id}`,
    ...facts,
  };
}

/** No request sends a scheduled message. */
function newRequest() {
  return { id: uuidv7(), ip: '0.0.0.0', userAgent: '', idempotencyKey: null, cookies: '' };
}
