import { handleJobs } from '@/server/background/worker-pool';
import { parseFields } from './full-fields';

/** The thread's side of full-threads.ts. */
handleJobs(parseFields, (fields) => [fields]);
