import type { OperationLane } from '@/lib/mail/operations';
import type { Outcome, Perform } from '@/mail/agent/operations/operation';
import { storeWhileLeased } from '@/server/background/lease';
import { repeat } from '@/server/background/repeat';
import type { Clock } from '@/server/clock';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { type ClaimedOperation, claimOperation, finishOperation, LEASE, renewLease } from './lease';
import { addLine, writeOutput } from './output';

const RENEW_INTERVAL_MS = 5_000;

export type OperationRunner = {
  /** Runs the operation that waits for this host in its lane, if there is one. Must not run concurrently with itself. */
  runPending: () => Promise<void>;
  /** Ends the running operation at its next step, which then is interrupted. Resolves once it has ended. */
  stop: () => Promise<void>;
};

/** The agent's side of operations. `perform` does the work; what it reports and how it ends is stored here. */
export function createOperationRunner(
  {
    db,
    clock,
    host,
    lane,
    perform,
  }: { db: Database; clock: Clock; host: string; lane: OperationLane; perform: Perform },
  onFinished: (outcome: Outcome) => void,
): OperationRunner {
  const stopping = new AbortController();
  let current: Promise<void> | undefined;
  const run = async (operation: ClaimedOperation) => {
    const { id, action, service, dryRun, input } = operation;
    const output = writeOutput(db, id);
    // A lease that can't be renewed ends by itself. The work goes on, because half of it would be worse.
    const renewal = repeat('renewing the lease of an operation', RENEW_INTERVAL_MS, () => renewLease(db, operation));
    const outcome = await perform(
      { id, action, service, dryRun, input },
      { report: output.report, signal: stopping.signal },
    ).catch((error: unknown) => unexpected(operation, error));
    if (outcome.state !== 'succeeded') output.report('error', outcome.message);
    await output.end().catch((error: unknown) => log.error({ operation_id: id, error }, 'storing the output failed'));
    try {
      const isStored = await storeWhileLeased(LEASE.seconds, () =>
        finishOperation(db, clock, operation, outcome),
      ).finally(renewal.end);
      if (!isStored) await reportLate(db, operation, outcome);
      log.info({ operation_id: id, action, outcome: outcome.message }, 'operation finished');
    } finally {
      // Even if that could not be stored: the agent may have to start again with the new settings.
      onFinished(outcome);
    }
  };
  return {
    async runPending() {
      if (stopping.signal.aborted) return;
      const operation = await claimOperation(db, host, lane);
      if (!operation) return;
      current = run(operation);
      await current;
    },
    async stop() {
      stopping.abort();
      await current;
    },
  };
}

function unexpected({ id, action }: ClaimedOperation, error: unknown): Outcome {
  log.error({ operation_id: id, action, error }, 'operation failed');
  return {
    state: 'failed',
    message: 'It failed unexpectedly. The mail agent’s log has the reason. Check the services.',
  };
}

/** The operation counts as interrupted, since the agent was away for too long. Its output says how it ended. */
function reportLate(db: Database, { id }: ClaimedOperation, { state, message }: Outcome): Promise<void> {
  return addLine(db, id, `The agent went on without the database, and ended it as ${state}: ${message}`);
}
