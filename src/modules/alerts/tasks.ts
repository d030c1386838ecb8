import { cleanUp, type Task } from '@/server/background/task';
import { forgetAlertEmails, sendAlertEmails } from './emails/send';
import { notifyUnmuted } from './mutes/notify';

export const alertTasks: Task[] = [
  {
    name: 'emailing alerts',
    on: 'one instance',
    everySeconds: 5,
    isAwaited: true,
    run: sendAlertEmails,
  },
  {
    name: 'notifying of alerts that are no longer muted',
    on: 'one instance',
    everySeconds: 15,
    run: ({ db, clock }) => db.$transaction((tx) => notifyUnmuted(tx, clock.now())),
  },
  cleanUp('giving up on old alert emails', ({ db }) => forgetAlertEmails(db)),
];
