import { handleJobs } from '@/server/background/worker-pool';
import { parseFields } from './fields';

/** The worker thread of content-parser.ts. */
handleJobs(parseFields, (fields) => [fields]);
