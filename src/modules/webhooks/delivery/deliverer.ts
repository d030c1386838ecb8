import { failureLog } from '@/server/background/failures';
import { groupCalls } from '@/server/background/group-calls';
import { thisNode } from '@/server/cluster/this-node';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { metrics } from '@/server/metrics/metrics';
import { attempt, type Post } from './attempt';
import { type Claim, claimDue, type Job, loadJobs, releaseClaims } from './claim';
import { type Finished, finishAttempts, type Outcome } from './finish';
import { createLanes, createProvenEndpoints, type Lane } from './lanes/lanes';

export type SweepReport = { attempted: number; delivered: number; failed: number };

export type Deliverer = {
  /** Schedules a check for due deliveries. Cheap to call often. */
  kick(): void;
  /** Attempts due deliveries until none are left or the timeout ends. */
  sweep(timeoutMs: number): Promise<SweepReport>;
  /** Reserves a slot for a test. Returns the function that releases it, or null if too many tests are in flight. */
  reserveTestSlot(webhookId: string): (() => void) | null;
  /** Attempts a test for which the caller holds a slot and a lease. */
  deliver(claim: Claim): Promise<void>;
  /** Starts no more attempts. Resolves when those in flight have finished. */
  stop(): Promise<void>;
};

type Options = { db: Database; post: Post; now: () => Date };

const MAX_CONCURRENT_STORES = 2;
const MAX_STORED_TOGETHER = 100;
const STORE_ATTEMPTS = 5;
const STORE_PAUSE_MS = 500;
/** Attempts that end within this time share one claim query, which costs much the same for one delivery and for fifty. */
const CLAIM_DELAY_MS = { idle: 10, busy: 40 };
const BUSY_FROM_IN_FLIGHT = 64;
const LONG_BODY_DELAY_SECONDS = 3;

/** Attempts due deliveries in this process, up to the limits of the lanes. Several processes may run at the same time. */
export function createDeliverer({ db, post, now }: Options): Deliverer {
  const inFlight = new Set<Promise<void>>();
  const totals: SweepReport = { attempted: 0, delivered: 0, failed: 0 };
  const store = groupCalls((finished: Finished[]) => finishAttempts(db, finished).then(() => finished), {
    maxRunning: MAX_CONCURRENT_STORES,
    maxItems: MAX_STORED_TOGETHER,
  });
  const provenEndpoints = createProvenEndpoints();
  const lanes = createLanes();
  const failures = failureLog('claiming webhook deliveries');
  const { webhookAttempts, webhookDuration } = metrics();
  let timer: NodeJS.Timeout | null = null;
  let claiming: Promise<number> | null = null;
  /** Whether the last claim got as many for healthy endpoints as it had room for. */
  let isMoreDue = false;
  let isStopped = false;

  function kick(): void {
    if (isStopped) return;
    if (isMoreDue && lanes.hasRoomForFullClaim()) return void claim();
    timer ??= setTimeout(
      () => {
        timer = null;
        void claim();
      },
      CLAIM_DELAY_MS[inFlight.size < BUSY_FROM_IN_FLIGHT ? 'idle' : 'busy'],
    ).unref();
  }

  /** Claims that overlap share one query. @returns the number of attempts started */
  function claim(): Promise<number> {
    claiming ??= claimAndRun()
      .then(reportSuccess, reportFailure)
      .finally(() => {
        claiming = null;
        if (isMoreDue) kick();
      });
    return claiming;
  }

  function reportFailure(error: unknown): number {
    failures.failed(error);
    return 0;
  }

  function reportSuccess(started: number): number {
    failures.succeeded();
    return started;
  }

  async function claimAndRun(): Promise<number> {
    isMoreDue = false;
    if (isStopped || thisNode().isDraining) return 0;
    const proven = provenEndpoints.list(performance.now());
    const room = lanes.room();
    const claims = await claimDue(db, { ...room, proven });
    if (claims.length === 0) return 0;
    if (isStopped) {
      await releaseClaims(db, claims);
      return 0;
    }
    const laneOf = ({ isFailing, webhookId }: Job): Lane => {
      if (isFailing) return 'failing';
      return proven.includes(webhookId) ? 'proven' : 'unproven';
    };
    const postponed: Job[] = [];
    const jobs = await loadJobs(db, claims);
    for (const job of jobs) {
      const lane = laneOf(job);
      if (job.body !== null || lanes.hasRoomForLong(lane)) void run(job, lane);
      else postponed.push(job);
    }
    if (postponed.length > 0) await releaseClaims(db, postponed, LONG_BODY_DELAY_SECONDS * (1 + Math.random()));
    const healthy = claims.filter(({ isFailing }) => !isFailing).length;
    // A claim that is mostly long bodies starts little.
    isMoreDue = room.wanted > 0 && healthy >= room.wanted && postponed.length < jobs.length / 2;
    return jobs.length - postponed.length;
  }

  function run(job: Job, lane: Lane): Promise<void> {
    const slot = { lane, isLong: job.body === null, webhookId: job.webhookId };
    lanes.enter(slot);
    const work = perform(job).finally(() => {
      lanes.leave(slot);
      kick();
    });
    return track(work);
  }

  /** Lets `sweep` and `stop` wait for it. */
  function track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
    return tracked;
  }

  async function perform(job: Job): Promise<void> {
    try {
      const outcome = await attempt(db, job, post, now);
      if (!outcome) return;
      totals.attempted += 1;
      webhookAttempts.inc({ outcome: outcome.failure ?? 'delivered' });
      webhookDuration.observe(outcome.durationMs / 1000);
      totals[outcome.failure ? 'failed' : 'delivered'] += 1;
      provenEndpoints.record(job.webhookId, outcome, performance.now());
      await storeOutcome(job, outcome);
    } catch (error) {
      log.error({ error, delivery_id: job.id }, 'webhook attempt failed before it was recorded, it will be repeated');
    }
  }

  /** Retries while the database is unavailable. If every try fails, the attempt is repeated once its lease ends. */
  async function storeOutcome(job: Job, outcome: Outcome): Promise<void> {
    for (let attempts = 1; ; attempts++) {
      try {
        await store({ job, outcome });
        return;
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
        // A claim that started earlier, or while attempts were in flight, may have missed what is due now.
        await claiming;
        const isIdle = inFlight.size === 0;
        const started = await claim();
        if (started === 0 && isIdle) break;
        if (inFlight.size > 0) await Promise.race([timeUp, ...inFlight]);
      }
      return {
        attempted: totals.attempted - before.attempted,
        delivered: totals.delivered - before.delivered,
        failed: totals.failed - before.failed,
      };
    },
    reserveTestSlot(webhookId) {
      if (!lanes.hasRoomForTest(webhookId)) return null;
      const slot = { lane: 'test', isLong: false, webhookId } as const;
      lanes.enter(slot);
      return () => lanes.leave(slot);
    },
    async deliver(leased) {
      const [job] = await loadJobs(db, [leased]);
      if (job) await track(perform(job));
    },
    async stop() {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await claiming;
      await Promise.allSettled(inFlight);
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)).unref());
}
