import { handleJobs } from '@/server/background/worker-pool';
import { readReports } from './read';

/** The worker thread of reader.ts. */
handleJobs(readReports, () => []);
