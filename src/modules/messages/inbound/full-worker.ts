import { answerJobs } from '@/server/background/threads';
import { parseFields } from './full-fields';

/** The thread's side of full-threads.ts. */
answerJobs(parseFields, (fields) => [fields]);
