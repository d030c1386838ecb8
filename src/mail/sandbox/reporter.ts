import { setTimeout as delay } from 'node:timers/promises';
import type { OnReport } from '../delivery-report';
import type { InboundPort } from '../inbound/port';
import { deliverLocally } from './local-delivery';
import { expiredReply } from './remote-replies';
import type { Spool, SpoolEntry } from './spool';

export type Reporter = { add: (queueId: string) => void; close: () => Promise<void> };

type Options = { spool: Spool; onReport: OnReport; inbound: InboundPort; queueLifetimeMs: number };

/**
 * Simulates delivery of each message and reports the outcomes, a few messages at a time. Deferred recipients fail once the
 * message is as old as `queueLifetimeMs`. A message stays due in the spool until everything is reported; failed reports
 * are repeated with growing pauses, also after a restart.
 */
export function createReporter({ spool, onReport, inbound, queueLifetimeMs }: Options): Reporter {
  const waiting: Pending[] = [];
  const underWay = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  let isClosed = false;

  function addAfter(pending: Pending, delayMs: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      waiting.push(pending);
      startNext();
    }, delayMs).unref();
    timers.add(timer);
  }

  function startNext(): void {
    while (!isClosed && underWay.size < CONCURRENCY) {
      const pending = waiting.shift();
      if (!pending) return;
      const work = report(pending)
        .catch(() => {
          const delayMs = Math.min(FIRST_PAUSE_MS * 2 ** pending.failures, MAX_PAUSE_MS);
          if (!isClosed) addAfter({ ...pending, failures: pending.failures + 1 }, delayMs);
        })
        .finally(() => {
          underWay.delete(work);
          startNext();
        });
      underWay.add(work);
    }
  }

  async function report(pending: Pending): Promise<void> {
    const { queueId } = pending;
    const entry = await spool.find(queueId);
    if (entry) {
      const deferred = pending.deferred ?? (await reportReplies(entry));
      const expiresAt = new Date(entry.receivedAt).getTime() + queueLifetimeMs;
      const waitMs = expiresAt - Date.now();
      if (deferred.length > 0 && waitMs > 0) {
        if (!isClosed) addAfter({ queueId, failures: 0, deferred }, waitMs);
        return;
      }
      for (const recipient of deferred) await reportOutcome(entry, recipient, expiresAt, expiredReply(recipient));
    }
    await spool.markReported(queueId);
  }

  /** @returns the deferred recipients */
  async function reportReplies(entry: SpoolEntry): Promise<string[]> {
    const at = new Date(entry.receivedAt).getTime() + REPLY_DELAY_MS;
    const replies = await deliverLocally(spool, entry, inbound);
    for (const [recipient, reply] of replies) await reportOutcome(entry, recipient, at, reply);
    return replies.flatMap(([recipient, { kind }]) => (kind === 'deferred' ? [recipient] : []));
  }

  async function reportOutcome(entry: SpoolEntry, recipient: string, at: number, reply: Reply): Promise<void> {
    const { queueId, messageId } = entry;
    await onReport({ queueId, messageId, recipient, at: new Date(at), ...reply });
  }

  return {
    add(queueId) {
      if (!isClosed) addAfter({ queueId, failures: 0, deferred: null }, REPLY_DELAY_MS);
    },
    async close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.race([Promise.allSettled(underWay), delay(DRAIN_MS, undefined, { ref: false })]);
    },
  };
}

/** Deferred recipients, once the first outcomes are reported. */
type Pending = { queueId: string; failures: number; deferred: string[] | null };

type Reply = ReturnType<typeof expiredReply>;

const CONCURRENCY = 4;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
const DRAIN_MS = 5000;
// Long enough for the app to store the acceptance first, as with a real receiving server.
const REPLY_DELAY_MS = 150;
