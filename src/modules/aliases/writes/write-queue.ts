import { AppError } from '@/server/errors';

const MAX_RUNNING = 4;
const MAX_PER_CALLER = 50;
const MAX_IN_ALL = 500;

/** Runs one write of a domain, or one of another kind by its name, when it is the caller's turn. */
export type InTurn = <Result>(domainId: string, write: () => Promise<Result>) => Promise<Result>;

type Job = { domainId: string; run: () => Promise<void> };

/**
 * Queues the alias writes of this process, so that waiting ones hold no pooled connection. Callers take turns, so that one
 * with many writes delays nobody by more than one of them, and the writes of one domain run one after the other.
 */
export function createWriteQueue() {
  const waiting = new Map<string, Job[]>();
  const callsOf = new Map<string, number>();
  const busyDomains = new Set<string>();
  let calls = 0;

  function runNext(): void {
    while (busyDomains.size < MAX_RUNNING) {
      const job = takeNext();
      if (!job) return;
      busyDomains.add(job.domainId);
      void job.run().finally(() => {
        busyDomains.delete(job.domainId);
        runNext();
      });
    }
  }

  /** The oldest write that can run, of the caller whose turn it is. */
  function takeNext(): Job | null {
    for (const [caller, jobs] of waiting) {
      const index = jobs.findIndex(({ domainId }) => !busyDomains.has(domainId));
      if (index === -1) continue;
      const [job] = jobs.splice(index, 1);
      // Moves the caller to the end.
      waiting.delete(caller);
      if (jobs.length > 0) waiting.set(caller, jobs);
      return job as Job;
    }
    return null;
  }

  /** Does a call's writes, one or several. @throws SERVICE_UNAVAILABLE if the caller, or all, have too many in progress */
  return async function queueWrites<Result>(
    caller: string,
    work: (inTurn: InTurn) => Promise<Result>,
  ): Promise<Result> {
    const ownCalls = callsOf.get(caller) ?? 0;
    if (ownCalls >= MAX_PER_CALLER || calls >= MAX_IN_ALL) {
      throw new AppError('SERVICE_UNAVAILABLE', 'Too many alias changes are in progress. Try again in a few seconds.', {
        headers: { 'Retry-After': '2' },
      });
    }
    callsOf.set(caller, ownCalls + 1);
    calls += 1;
    const inTurn: InTurn = (domainId, write) =>
      new Promise((resolve, reject) => {
        const run = () => write().then(resolve, reject);
        const jobs = waiting.get(caller);
        if (jobs) jobs.push({ domainId, run });
        else waiting.set(caller, [{ domainId, run }]);
        runNext();
      });
    try {
      return await work(inTurn);
    } finally {
      calls -= 1;
      const left = (callsOf.get(caller) ?? 1) - 1;
      if (left > 0) callsOf.set(caller, left);
      else callsOf.delete(caller);
    }
  };
}
