import { handleJobs } from '@/server/background/worker-pool';
import { runTemplateJob } from './jobs';

handleJobs(runTemplateJob, () => []);
