import { handleJobs } from '@/server/background/worker-pool';
import { bytesOfResult, runContentJob } from './jobs';

/** Runs in the threads of pool.ts. */
handleJobs(runContentJob, bytesOfResult);
