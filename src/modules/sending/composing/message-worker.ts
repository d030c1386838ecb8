import { handleJobs } from '@/server/background/worker-pool';
import { runJob } from './message-jobs';

/** Runs in the threads of message-worker-pool.ts. */
handleJobs(runJob, (result) => {
  if (result.kind === 'error') return [];
  const messages = result.kind === 'batch' ? result.items : [result.message];
  return messages.flatMap((message) => ('code' in message ? [] : ['raw' in message ? message.raw : message.message]));
});
