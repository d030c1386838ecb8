import { handleJobs } from '@/server/background/worker-pool';
import { work } from './message-work';

/** The thread's side of message-threads.ts. */
handleJobs(work, (result) => {
  if (result.kind === 'fault') return [];
  const messages = result.kind === 'message' ? [result.message] : result.items.filter((item) => 'raw' in item);
  return messages.map(({ raw }) => raw);
});
