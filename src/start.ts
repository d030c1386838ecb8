import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { findApiHandler, observeRequest } from '@/api';
import { openAuditAnchor, setAuditAnchor } from '@/modules/audit/anchor/anchor';
import { sealAuditEntries } from '@/modules/audit/seal';
import { redirectOfPage } from '@/modules/auth/sessions/page-redirect';
import { prepareFirstAdmin } from '@/modules/auth/setup/setup';
import { stopOperations } from '@/modules/backups/operations/run';
import { joinCluster } from '@/modules/cluster/heartbeat';
import { warnOfDomainLists } from '@/modules/config/domain-lists';
import { findPublishedHandler } from '@/modules/domains/published/handler';
import { contentSettled } from '@/modules/messages/content/keeping/keep';
import { outboundMta } from '@/modules/sending/submission/mta';
import { startSandboxSmtp } from '@/modules/sending/submission/sandbox-smtp';
import { findUnsubscribeHandler } from '@/modules/unsubscribe/handler';
import { deliverer } from '@/modules/webhooks/delivery/process';
import { type RunningTasks, startTasks } from '@/server/background/start-tasks';
import { systemClock } from '@/server/clock';
import { database, isDatabaseAway } from '@/server/database/db';
import { serveHttp } from '@/server/http/http-server';
import { precompressedFiles } from '@/server/http/precompressed';
import type { Refusal } from '@/server/http/refusal';
import type { RequestCount } from '@/server/http/request-count';
import { addressRefusal, countRequest, prepareLimits } from '@/server/limits/rate-limit';
import { log } from '@/server/log';
import { startProcessMetrics } from '@/server/metrics/metrics';
import { followReplica } from '@/server/replica/reads';
import { env } from '@/server/settings/env';
import { mtaKind } from '@/server/settings/mta-kind';
import { applySavedSettings, followSavedSettings } from '@/server/settings/saved';
import { tasks } from './tasks';

const DATABASE_TIMEOUT_MS = 30_000;
const DATABASE_RETRY_MS = 500;

/** The interface between the HTTP server's process (scripts/serve.mjs) and the app. */
export type App = {
  /** Where the first admin is created. Null if there is one. */
  setupLink: string | null;
  /**
   * Serves what `server` receives. `servePage` is Next.js, `staticFolder` has the files of its build. In development, Next.js serves
   * the API too, to reload it, and the files.
   */
  serve(server: Server, options: { servePage: PageHandler; staticFolder?: string; isDev: boolean }): void;
  /** Starts the tasks that modules declare, which would slow down the start itself. */
  startTasks(): void;
  /** Finishes the requests and webhook deliveries in flight, and starts no more. */
  close(): Promise<void>;
};

type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Prepares an instance before it serves. @throws for a wrong configuration, so that it never starts halfway */
export async function start(): Promise<App> {
  if (env().metricsToken) startProcessMetrics();
  await untilDatabaseResponds();
  await applySavedSettings(database());
  await warnOfDomainLists(database());
  const stopFollowing = followSavedSettings(database());
  const stopReplica = await followReplica();
  const setupLink = await prepareFirstAdmin();
  await outboundMta();
  const endSandbox = mtaKind() === 'sandbox' ? await startSandboxSmtp() : undefined;
  await prepareLimits();
  const leaveCluster = await joinCluster(database(), ['web', 'worker']);
  const anchor = setAuditAnchor(openAuditAnchor(env().dataDir, systemClock));
  let running: RunningTasks | undefined;
  let closeHttp: (() => Promise<void>) | undefined;
  return {
    setupLink,
    serve(server, { servePage, staticFolder, isDev }) {
      const { appUrl, trustedProxies } = env();
      const observe = observeRequest;
      const options = {
        appUrl,
        trustedProxies,
        isDev,
        findApiHandler: isDev ? () => undefined : findApiHandler,
        findPublishedHandler: (host: string, path: string) =>
          findPublishedHandler(host, path) ?? findUnsubscribeHandler(path),
        servePage,
        findFile: staticFolder === undefined ? undefined : precompressedFiles(staticFolder),
        redirectOf: ({ url = '/', headers }: IncomingMessage) => redirectOfPage(url, headers),
        countRequest,
        refusalOf,
        observe,
      };
      closeHttp = serveHttp(server, options);
    },
    startTasks() {
      running ??= startTasks(tasks, { db: database(), clock: systemClock });
    },
    close: async () => {
      stopFollowing();
      await Promise.all([endSandbox?.(), closeHttp?.(), deliverer().stop(), stopOperations(), running?.end()]);
      // Audit entries of the last requests would be unsealed until the next start.
      await sealAuditEntries(database(), anchor).catch((error) => log.error({ error }, 'the last sealing failed'));
      await anchor.end();
      await contentSettled();
      await Promise.all([leaveCluster(), stopReplica()]);
    },
  };
}

/** A database that is starting, or busy, may take longer to connect than a request waits. */
async function untilDatabaseResponds(): Promise<void> {
  const givenUpAt = performance.now() + DATABASE_TIMEOUT_MS;
  for (;;) {
    try {
      await database().$queryRaw`SELECT 1`;
      return;
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > givenUpAt) throw error;
      await setTimeout(DATABASE_RETRY_MS);
    }
  }
}

function refusalOf(count: RequestCount): Refusal | null {
  const error = addressRefusal(count);
  return error && { status: error.status, code: error.apiCode, message: error.message, headers: error.headers };
}
