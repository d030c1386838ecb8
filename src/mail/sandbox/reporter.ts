import { setTimeout as delay } from 'node:timers/promises';
import type { OnReport } from '../delivery-report';
import type { InboundPort } from '../inbound';
import { answersTo } from './local-side';
import type { Spool } from './spool';

export type Reporter = { add: (queueId: string) => void; close: () => Promise<void> };

/**
 * Plays the other side of each message and reports what it said, a few messages at a time. A message stays due in the
 * spool until all of it is reported; a report that fails is repeated with growing pauses, and after a restart.
 */
export function createReporter(spool: Spool, onReport: OnReport, inbound: InboundPort): Reporter {
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
      const work = report(spool, onReport, inbound, pending.queueId)
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

  return {
    add(queueId) {
      if (!isClosed) addAfter({ queueId, failures: 0 }, ANSWER_AFTER_MS);
    },
    async close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.race([Promise.allSettled(underWay), delay(DRAIN_MS, undefined, { ref: false })]);
    },
  };
}

type Pending = { queueId: string; failures: number };

const CONCURRENCY = 4;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;
const DRAIN_MS = 5000;
// Long enough for the sender to have stored the acceptance, as it is with a real remote side.
const ANSWER_AFTER_MS = 150;

async function report(spool: Spool, onReport: OnReport, inbound: InboundPort, queueId: string): Promise<void> {
  const entry = await spool.find(queueId);
  if (entry) {
    const { messageId, receivedAt } = entry;
    const at = new Date(new Date(receivedAt).getTime() + ANSWER_AFTER_MS);
    for (const [recipient, answer] of await answersTo(spool, entry, inbound)) {
      await onReport({ queueId, messageId, recipient, at, ...answer });
    }
  }
  await spool.settle(queueId);
}
