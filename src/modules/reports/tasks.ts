import { dnsServers } from '@/modules/domains/service';
import { cleanUp, type Task } from '@/server/background/task';
import { env } from '@/server/settings/env';
import { lookUpHosts } from './hosts';
import { deleteOldReports } from './storing/retention';

export const reportTasks: Task[] = [
  {
    name: 'looking up host names',
    on: 'every instance',
    everySeconds: 30,
    run: ({ db, clock }) => lookUpHosts(db, dnsServers(), clock),
  },
  cleanUp('deleting old reports', ({ db, clock }) => deleteOldReports(db, clock.now(), env().reportRetentionDays)),
];
