// Emails the alerts that are due, as an instance does, for a test that kills it.
import { alertTasks } from '@/modules/alerts/tasks';
import { database } from '@/server/database/db';
import { runTask, sharedTask } from '@/test/tasks';

await runTask(database(), sharedTask(alertTasks, 'emailing alerts'));
