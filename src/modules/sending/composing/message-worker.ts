import { handleJobs } from '@/server/background/worker-pool';
import { runJob } from './message-jobs';

/** Runs in the threads of message-worker-pool.ts. */
handleJobs(runJob, (result) => {
  if (result.kind === 'error') return [];
  const messages = result.kind === 'message' ? [result.message] : result.items.filter((item) => 'raw' in item);
  return messages.map(({ raw }) => raw);
});
