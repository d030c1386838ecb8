import { handleJobs } from '@/server/background/worker-pool';
import { readReturned } from './read';

/** The worker thread of reader.ts. */
handleJobs(readReturned, () => []);
