import { router } from '@/server/procedures/trpc';
import { abuseRouter } from './abuse/router';
import { adminsRouter } from './admins/router';
import { alertsRouter } from './alerts/router';
import { aliasesRouter } from './aliases/router';
import { analyticsRouter } from './analytics/router';
import { apiKeysRouter } from './api-keys/router';
import { auditRouter } from './audit/router';
import { authRouter } from './auth/router';
import { backupsRouter } from './backups/router';
import { clusterRouter } from './cluster/router';
import { configRouter } from './config/router';
import { deletedRecordsRouter } from './deleted-records/router';
import { docsRouter } from './docs/router';
import { domainsRouter } from './domains/router';
import { eventsRouter } from './events/router';
import { mailBackupsRouter } from './mail-backups/router';
import { mailServerRouter } from './mail-server/router';
import { mailboxesRouter } from './mailboxes/router';
import { messagesRouter } from './messages/router';
import { overviewRouter } from './overview/router';
import { queueRouter } from './queue/router';
import { referenceRouter } from './reference/router';
import { reportsRouter } from './reports/router';
import { savedViewsRouter } from './saved-views/router';
import { sendingRouter } from './sending/router';
import { servicesRouter } from './services/router';
import { sieveFiltersRouter } from './sieve-filters/router';
import { suppressionsRouter } from './suppressions/router';
import { systemRouter } from './system/router';
import { templatesRouter } from './templates/router';
import { webhooksRouter } from './webhooks/router';

export const appRouter = router({
  abuse: abuseRouter,
  admins: adminsRouter,
  alerts: alertsRouter,
  aliases: aliasesRouter,
  analytics: analyticsRouter,
  apiKeys: apiKeysRouter,
  audit: auditRouter,
  auth: authRouter,
  backups: backupsRouter,
  cluster: clusterRouter,
  config: configRouter,
  deletedRecords: deletedRecordsRouter,
  docs: docsRouter,
  domains: domainsRouter,
  events: eventsRouter,
  mailboxes: mailboxesRouter,
  mailBackups: mailBackupsRouter,
  mailServer: mailServerRouter,
  messages: messagesRouter,
  services: servicesRouter,
  overview: overviewRouter,
  queue: queueRouter,
  reference: referenceRouter,
  reports: reportsRouter,
  savedViews: savedViewsRouter,
  sending: sendingRouter,
  sieveFilters: sieveFiltersRouter,
  suppressions: suppressionsRouter,
  system: systemRouter,
  templates: templatesRouter,
  webhooks: webhooksRouter,
});

export type AppRouter = typeof appRouter;
