import pLimit from 'p-limit';
import type { Database } from '@/server/db';
import { log } from '@/server/log';
import { attempt, type Post } from './attempt';
import { type Claim, claimDue, type Job, loadJobs, releaseClaims } from './claim';
import { finishAttempt, type Outcome } from './finish';
import { createLanes, type Lane } from './lanes';
import { createPace } from './pace';

export type SweepReport = { attempted: number; delivered: number; failed: number };

export type Deliverer = {
  /** Looks for what is due, soon; cheap to call often. */
  kick(): void;
  /** Delivers what is due until there is nothing more, or the time is up. */
  sweep(timeoutMs: number): Promise<SweepReport>;
  /** Room for a test of a webhook, to be given back in the end; null where too many are under way. */
  takeTestSeat(webhookId: string): (() => void) | null;
  /** Attempts a test that the caller has a seat and a lease for. */
  deliver(claim: Claim): Promise<void>;
  /** Takes on nothing more; resolves once what is under way is done. */
  stop(): Promise<void>;
};

type Options = { db: Database; post: Post; now: () => Date };

const STORING_AT_ONCE = 4;
const STORE_ATTEMPTS = 5;
const STORE_PAUSE_MS = 500;
/** Claims come in small batches rather than one for each that ends. */
const GATHER_MS = 10;
const LONG_WAITS_SECONDS = 3;

/** Delivers what is due, a bounded number at a time, in this process; any number of processes may do so at once. */
export function createDeliverer({ db, post, now }: Options): Deliverer {
  const underWay = new Set<Promise<void>>();
  const totals: SweepReport = { attempted: 0, delivered: 0, failed: 0 };
  const store = pLimit(STORING_AT_ONCE);
  const pace = createPace();
  const lanes = createLanes();
  let timer: NodeJS.Timeout | null = null;
  let claiming: Promise<number> | null = null;
  let isDatabaseAway = false;
  let isStopped = false;

  function kick(): void {
    if (isStopped || timer) return;
    timer = setTimeout(() => {
      timer = null;
      void claim();
    }, GATHER_MS);
    timer.unref();
  }

  /** One at a time. @returns how many were taken on */
  function claim(): Promise<number> {
    claiming ??= takeOn()
      .then(noteDatabaseBack, noteDatabaseAway)
      .finally(() => {
        claiming = null;
      });
    return claiming;
  }

  /** Told once, not at every tick. */
  function noteDatabaseAway(error: unknown): number {
    if (!isDatabaseAway) log.warn({ error }, 'webhooks: the database cannot be asked for what is due; trying on');
    isDatabaseAway = true;
    return 0;
  }

  function noteDatabaseBack(taken: number): number {
    if (isDatabaseAway) log.info('webhooks: the database answers again');
    isDatabaseAway = false;
    return taken;
  }

  async function takeOn(): Promise<number> {
    if (isStopped) return 0;
    const proven = pace.proven(performance.now());
    const claims = await claimDue(db, { ...lanes.room(), proven });
    if (claims.length === 0) return 0;
    if (isStopped) {
      await releaseClaims(db, claims);
      return 0;
    }
    const laneOf = ({ isFailing, webhookId }: Job): Lane => {
      if (isFailing) return 'failing';
      return proven.includes(webhookId) ? 'proven' : 'unproven';
    };
    const later: Job[] = [];
    const jobs = await loadJobs(db, claims);
    for (const job of jobs) {
      if (job.body !== null || lanes.hasRoomForLong()) void run(job, laneOf(job));
      else later.push(job);
    }
    if (later.length > 0) await releaseClaims(db, later, LONG_WAITS_SECONDS * (1 + Math.random()));
    return jobs.length - later.length;
  }

  function run(job: Job, lane: Lane): Promise<void> {
    const passenger = { lane, isLong: job.body === null, webhookId: job.webhookId };
    lanes.enter(passenger);
    const work = perform(job).finally(() => {
      lanes.leave(passenger);
      kick();
    });
    return track(work);
  }

  /** So that a sweep and the stop can wait for it. */
  function track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
    return tracked;
  }

  async function perform(job: Job): Promise<void> {
    try {
      const outcome = await attempt(db, job, post, now);
      if (!outcome) return;
      totals.attempted += 1;
      totals[outcome.failure ? 'failed' : 'delivered'] += 1;
      pace.note(job.webhookId, outcome, performance.now());
      await storeOutcome(job, outcome);
    } catch (error) {
      log.error({ error, delivery: job.id }, 'webhooks: an attempt could not be made or recorded; it will be repeated');
    }
  }

  /** The endpoint has been asked; the database may be away just now. If it stays away, the attempt is repeated. */
  async function storeOutcome(job: Job, outcome: Outcome): Promise<void> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await store(() => finishAttempt(db, job, outcome));
      } catch (error) {
        if (attempts === STORE_ATTEMPTS) throw error;
        await pause(attempts * STORE_PAUSE_MS);
      }
    }
  }

  return {
    kick,
    async sweep(timeoutMs) {
      const before = { ...totals };
      let isTimeUp = false;
      const timeUp = pause(timeoutMs).then(() => {
        isTimeUp = true;
      });
      while (!isTimeUp && !isStopped) {
        // A look that began before, or while something was under way, may have missed what is due now.
        await claiming;
        const isIdle = underWay.size === 0;
        const taken = await claim();
        if (taken === 0 && isIdle) break;
        if (underWay.size > 0) await Promise.race([timeUp, ...underWay]);
      }
      return {
        attempted: totals.attempted - before.attempted,
        delivered: totals.delivered - before.delivered,
        failed: totals.failed - before.failed,
      };
    },
    takeTestSeat(webhookId) {
      if (!lanes.hasRoomForTest(webhookId)) return null;
      const passenger = { lane: 'test', isLong: false, webhookId } as const;
      lanes.enter(passenger);
      return () => lanes.leave(passenger);
    },
    async deliver(leased) {
      const [job] = await loadJobs(db, [leased]);
      if (job) await track(perform(job));
    },
    async stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await claiming;
      await Promise.allSettled(underWay);
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)).unref());
}
