import { relayPasswordPlace } from '@/lib/mail/operations';
import type { CertificateKeeper } from '@/mail/agent/certificate/keeper';
import type { DkimStore } from '@/mail/agent/dkim-store';
import { type Installation, readInstallation } from '@/mail/agent/installation';
import type { Outcome } from '@/mail/agent/operations/operation';
import { createPerform } from '@/mail/agent/operations/perform';
import { explainRecovery, recoverFiles, recoverServices } from '@/mail/agent/operations/recover';
import { createServiceControl, DEPLOY } from '@/mail/agent/services/control';
import { createServiceWatch } from '@/mail/agent/services/watch';
import { republishDkimKeys } from '@/modules/domains/dkim/publish';
import { AGENT_CHANNEL, type AgentInstance } from '@/modules/mail-server/requests';
import { interruptAbandoned } from '@/modules/services/lease';
import { addLine } from '@/modules/services/output';
import { recordServices } from '@/modules/services/record';
import { createOperationRunner } from '@/modules/services/run';
import { CHECKS_CHANNEL } from '@/modules/system/health/check-now';
import type { Task } from '@/server/background/task';
import { systemClock } from '@/server/clock';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { unseal } from '@/server/secrets/sealing';
import { env } from '@/server/settings/env';

const WATCH_TASK = 'watching the services';

/** Undoes what an operation left half done when the agent was killed. Call it before anything reads the configuration. */
export async function recoverOperation(config: string) {
  const journal = await recoverFiles(config);
  const control = createServiceControl(() => readInstallation(config));
  const lines: string[] = [];
  // Not awaited by the agent's start: Rspamd takes up to 40 seconds.
  const services = journal
    ? recoverServices(config, control, journal, (kind, text) => void lines.push(`${kind}: ${text}`)).catch(
        (error: unknown) => log.error({ error }, 'an interrupted operation could not be undone'),
      )
    : Promise.resolve();
  return {
    operationId: journal?.operationId ?? null,
    message: explainRecovery(journal),
    /** Resolves once the services run again. */
    isOver: services.then(() => {
      if (journal)
        log.warn({ operation_id: journal.operationId, outcome: lines.join('; ') }, 'undid an interrupted operation');
    }),
  };
}

type Recovery = Awaited<ReturnType<typeof recoverOperation>>;

type Parts = {
  db: Database;
  agent: AgentInstance;
  dkimStore: DkimStore;
  renewCertificate: CertificateKeeper['renew'];
  recovery: Recovery;
  /** Called when the settings of the agent have changed. */
  onOutdated: () => void;
  runNow: (task: string) => void;
};

/** Returns the tasks that run the operations that admins ask for, and report the services of this host. */
export async function prepareOperations({
  db,
  agent,
  dkimStore,
  renewCertificate,
  recovery,
  onOutdated,
  runNow,
}: Parts) {
  const { mailServerConfig: config, databaseUrl } = env();
  const read = (): Installation => readInstallation(config);
  const watch = createServiceWatch(read, {
    deploy: DEPLOY,
    agent: { version: agent.version, process: { pid: process.pid, startedAt: new Date() } },
  });
  const perform = createPerform({
    read,
    control: createServiceControl(read),
    deploy: DEPLOY,
    secrets: [new URL(databaseUrl).password, ...(process.env.SECRET_KEY ?? '').split(',')],
    renewCertificate,
    unsealPassword: (sealed, relay) => unseal(relayPasswordPlace(agent.host, relay), Buffer.from(sealed, 'base64')),
    rebuildKeys: () => republishDkimKeys(db, dkimStore),
  });
  const onFinished = ({ isAgentOutdated }: Outcome) => {
    watch.forget();
    runNow(WATCH_TASK);
    if (isAgentOutdated) onOutdated();
  };
  const runner = createOperationRunner(
    { db, clock: systemClock, host: agent.host, lane: 'services', perform },
    onFinished,
  );

  await interruptAbandoned(db, systemClock, { host: agent.host, lane: 'services' }, recovery.message);
  // If the agent was away for longer than the lease, the operation's message says only that it stopped.
  if (recovery.operationId) await addLine(db, recovery.operationId, recovery.message);
  const tasks: Task[] = [
    {
      name: WATCH_TASK,
      on: 'every instance',
      everySeconds: 5,
      wokenBy: CHECKS_CHANNEL,
      onWake: watch.forget,
      run: async () => recordServices(db, agent.host, await watch.look()),
    },
    {
      name: 'running operations',
      on: 'every instance',
      everySeconds: 1,
      wokenBy: AGENT_CHANNEL,
      async run() {
        await recovery.isOver;
        await runner.runPending();
      },
    },
  ];
  return { tasks, stop: runner.stop };
}
