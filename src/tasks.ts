import { abuseTasks } from '@/modules/abuse/tasks';
import { alertTasks } from '@/modules/alerts/tasks';
import { foldAnalytics } from '@/modules/analytics/counting/fold';
import { auditTasks } from '@/modules/audit/tasks';
import { authTasks } from '@/modules/auth/tasks';
import { backupTasks } from '@/modules/backups/tasks';
import { deletedRecordTasks } from '@/modules/deleted-records/tasks';
import { domainTasks } from '@/modules/domains/tasks';
import { eventTasks } from '@/modules/events/tasks';
import { publishOwnPlan } from '@/modules/mail-backups/publish';
import { mailboxTasks } from '@/modules/mailboxes/tasks';
import { messageTasks } from '@/modules/messages/tasks';
import { reportTasks } from '@/modules/reports/tasks';
import { sendingTasks } from '@/modules/sending/tasks';
import { serviceTasks } from '@/modules/services/tasks';
import { suppressionTasks } from '@/modules/suppressions/tasks';
import { systemTasks } from '@/modules/system/tasks';
import { deliverer } from '@/modules/webhooks/delivery/process';
import type { Task } from '@/server/background/task';
import { writeCountedAttempts } from '@/server/denied-attempts';
import { resealStoredSecrets } from '@/server/secrets/reseal';

/** The tasks that an instance of the app runs in the background. Modules with several tasks declare them in a file of their own. */
export const tasks: readonly Task[] = [
  ...systemTasks,
  ...auditTasks,
  ...eventTasks,
  ...alertTasks,
  ...backupTasks,
  ...serviceTasks,
  ...messageTasks,
  ...sendingTasks,
  ...suppressionTasks,
  ...domainTasks,
  ...deletedRecordTasks,
  ...reportTasks,
  ...mailboxTasks,
  ...abuseTasks,
  ...authTasks,
  {
    name: 'adding up statistics',
    on: 'every instance',
    everySeconds: 1,
    run: ({ db }) => foldAnalytics(db),
  },
  {
    name: 'planning backups of mail',
    on: 'every instance',
    everySeconds: 10,
    run: ({ db }) => publishOwnPlan(db),
  },
  {
    name: 'recording repeated denials',
    on: 'every instance',
    everySeconds: 10,
    run: ({ db, clock }) => writeCountedAttempts(db, clock.now()),
  },
  {
    name: 're-encrypting stored secrets',
    on: 'every instance',
    everySeconds: 300,
    run: ({ db }) => resealStoredSecrets(db),
  },
  // Also for retries, what the mail agent has recorded, and what other processes have left.
  {
    name: 'starting webhook deliveries',
    on: 'every instance',
    everySeconds: 0.5,
    run: async () => deliverer().kick(),
  },
];
