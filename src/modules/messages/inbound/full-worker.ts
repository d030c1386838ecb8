import { answerJobs } from '@/server/threads';
import { parseFields } from './full-fields';

/** The thread's side of full-threads.ts. */
answerJobs(parseFields, (fields) => [fields]);
