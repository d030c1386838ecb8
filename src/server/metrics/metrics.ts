import { collectDefaultMetrics } from 'prom-client';
import packageJson from '../../../package.json';
import { processWide } from '../process-wide';
import { createMetrics, type LIMITS, type SIGN_IN_METHODS } from './definitions';

const shared = processWide<ReturnType<typeof createMetrics>>('metrics');

/** Returns the metrics that this process counts for /api/metrics. */
export function metrics(): ReturnType<typeof createMetrics> {
  shared.current ??= createMetrics();
  return shared.current;
}

/** Adds what Node.js itself knows, which costs a little all the time, and what is running. */
export function startProcessMetrics(): void {
  const { registry, buildInfo } = metrics();
  collectDefaultMetrics({ register: registry });
  const commit = process.env.POSTROOM_COMMIT || 'unknown';
  buildInfo.set({ version: packageJson.version, commit, node: process.versions.node }, 1);
}

export function countRefusal(limit: (typeof LIMITS)[number]): void {
  metrics().refusals.inc({ limit });
}

export function countSignInFailure(method: (typeof SIGN_IN_METHODS)[number]): void {
  metrics().signInFailures.inc({ method });
}

/** Runs a background task and counts the run. @param task one of a fixed number of names */
export async function countTask(task: string, run: () => Promise<unknown>): Promise<void> {
  const { taskRuns, taskDuration } = metrics();
  const startedAt = performance.now();
  try {
    await run();
    taskRuns.inc({ task, outcome: 'success' });
  } catch (error) {
    taskRuns.inc({ task, outcome: 'failure' });
    throw error;
  } finally {
    taskDuration.observe({ task }, (performance.now() - startedAt) / 1000);
  }
}
