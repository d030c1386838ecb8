import { setTimeout as delay } from 'node:timers/promises';
import type { OnReport } from '../delivery-report';
import type { InboundPort } from '../inbound';
import { answersTo } from './local-side';
import { expiredAnswer } from './remote-side';
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
      const deferred = pending.deferred ?? (await reportAnswers(entry));
      const expiresAt = new Date(entry.receivedAt).getTime() + queueLifetimeMs;
      const waitMs = expiresAt - Date.now();
      if (deferred.length > 0 && waitMs > 0) {
        if (!isClosed) addAfter({ queueId, failures: 0, deferred }, waitMs);
        return;
      }
      for (const recipient of deferred) await tell(entry, recipient, expiresAt, expiredAnswer(recipient));
    }
    await spool.settle(queueId);
  }

  /** @returns the deferred recipients */
  async function reportAnswers(entry: SpoolEntry): Promise<string[]> {
    const at = new Date(entry.receivedAt).getTime() + ANSWER_AFTER_MS;
    const answers = await answersTo(spool, entry, inbound);
    for (const [recipient, answer] of answers) await tell(entry, recipient, at, answer);
    return answers.flatMap(([recipient, { kind }]) => (kind === 'deferred' ? [recipient] : []));
  }

  async function tell(entry: SpoolEntry, recipient: string, at: number, answer: Answer): Promise<void> {
    const { queueId, messageId } = entry;
    await onReport({ queueId, messageId, recipient, at: new Date(at), ...answer });
  }

  return {
    add(queueId) {
      if (!isClosed) addAfter({ queueId, failures: 0, deferred: null }, ANSWER_AFTER_MS);
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

type Answer = ReturnType<typeof expiredAnswer>;

const CONCURRENCY = 4;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
const DRAIN_MS = 5000;
// Long enough for the app to store the acceptance first, as with a real receiving server.
const ANSWER_AFTER_MS = 150;
