import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MailService } from '@/lib/mail/operations';
import type { Installation } from '../installation';
import { runCommand, runOrThrow } from '../operations/run-command';
import { probeService } from './probe';
import { findProcess } from './processes';

/** The agent runs in the project's folder. */
export const DEPLOY = resolve('deploy/mail');

const STACK = join(DEPLOY, 'stack');
const QUERY_TIMEOUT_MS = 10_000;
const RELOAD_TIMEOUT_MS = 30_000;
// Longer than systemd (TimeoutStopSec) and `stack` wait before they kill a service.
const STOP_TIMEOUT_MS = 60_000;
// Rspamd takes 40 seconds to start with a new suffix list; `stack` waits 90.
const START_TIMEOUT_MS = 120_000;
const UP_WITHIN_MS = 90_000;
const UP_PAUSE_MS = 250;
/** A service without a process for this long isn't going to respond. */
const GONE_AFTER_MS = 10_000;

type Output = { onLine?: (line: string) => void };

/** Controls the services of a mail server, with systemd or, without it, with `stack`. */
export type ServiceControl = {
  /** @returns false if the service reads its configuration only at start */
  reload: (service: MailService, output?: Output) => Promise<boolean>;
  /** Kills the service if it doesn't stop in time, and says so. */
  stop: (service: MailService, output?: Output) => Promise<void>;
  /** Starts the service unless it is running. */
  start: (service: MailService, output?: Output) => Promise<void>;
  /** Resolves once clients can use the service. @throws why they can't */
  waitUntilUp: (service: MailService) => Promise<void>;
};

/** @param read reads the installation, which an operation may change */
export function createServiceControl(read: () => Installation): ServiceControl {
  return {
    async reload(service, output) {
      if (service === 'redis') return false;
      if (await isManagedBySystemd(service))
        await runOrThrow({ ...systemctl('reload', service), withinMs: RELOAD_TIMEOUT_MS, ...output });
      else await RELOADS[service](read(), output);
      return true;
    },
    async stop(service, output) {
      if (!(await isManagedBySystemd(service))) return stack('stop', service, STOP_TIMEOUT_MS, output);
      await runOrThrow({ ...systemctl('stop', service), withinMs: STOP_TIMEOUT_MS, ...output });
      const result = { file: 'systemctl', args: ['show', '--property=Result', '--value', unitOf(service)] };
      const [reason] = await runOrThrow({ ...result, withinMs: QUERY_TIMEOUT_MS });
      if (reason === 'timeout') output?.onLine?.(`${service} didn't stop in time and was killed.`);
    },
    async start(service, output) {
      if (!(await isManagedBySystemd(service))) return stack('start', service, START_TIMEOUT_MS, output);
      // Units of an earlier version have a limit of starts.
      await runCommand({ file: 'systemctl', args: ['reset-failed', unitOf(service)], withinMs: QUERY_TIMEOUT_MS });
      await runOrThrow({ ...systemctl('start', service), withinMs: START_TIMEOUT_MS, ...output });
    },
    async waitUntilUp(service) {
      const startedAt = performance.now();
      let seenAt = startedAt;
      for (;;) {
        try {
          return await probeService(read(), service);
        } catch (error) {
          const now = performance.now();
          if (await findProcess(read(), service)) seenAt = now;
          if (now > startedAt + UP_WITHIN_MS || now > seenAt + GONE_AFTER_MS) throw error;
        }
        await sleep(UP_PAUSE_MS);
      }
    },
  };

  async function stack(verb: 'start' | 'stop', service: MailService, withinMs: number, output?: Output): Promise<void> {
    await runOrThrow({ file: STACK, args: [verb, read().config, service], withinMs, ...output });
  }
}

const RELOADS: Record<
  Exclude<MailService, 'redis'>,
  (installation: Installation, output?: Output) => Promise<unknown>
> = {
  postfix: ({ config }, output) =>
    runOrThrow({
      file: 'postfix',
      args: ['-c', join(config, 'postfix'), 'reload'],
      withinMs: RELOAD_TIMEOUT_MS,
      ...output,
    }),
  dovecot: ({ config }, output) =>
    runOrThrow({
      file: 'doveadm',
      args: ['-c', join(config, 'dovecot/dovecot.conf'), 'reload'],
      withinMs: RELOAD_TIMEOUT_MS,
      ...output,
    }),
  rspamd: async (installation) => {
    const found = await findProcess(installation, 'rspamd');
    if (!found) throw new Error('Rspamd is not running.');
    process.kill(found.pid, 'SIGHUP');
  },
};

function systemctl(verb: 'reload' | 'stop' | 'start', service: MailService) {
  return { file: 'systemctl', args: [verb, unitOf(service)] };
}

function unitOf(service: MailService): string {
  return `postroom-mail-${service}.service`;
}

async function isManagedBySystemd(service: MailService): Promise<boolean> {
  const query = { file: 'systemctl', args: ['is-enabled', '--quiet', unitOf(service)], withinMs: QUERY_TIMEOUT_MS };
  return runCommand(query).then(
    ({ exitCode }) => exitCode === 0,
    // There is no systemctl.
    () => false,
  );
}
