import { cleanUp, type Task } from '@/server/background/task';
import { forgetAlertEmails, sendAlertEmails } from './emails/send';

export const alertTasks: Task[] = [
  {
    name: 'emailing alerts',
    on: 'one instance',
    everySeconds: 5,
    isAwaited: true,
    run: sendAlertEmails,
  },
  cleanUp('giving up on old alert emails', ({ db }) => forgetAlertEmails(db)),
];
