import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Installation } from './installation';
import { type AgentHandlers, MAIL_SERVICES, type MailService } from './requests';

const STACK = fileURLToPath(new URL('../../../deploy/mail/stack', import.meta.url));
const HEALTH_TIMEOUT_MS = 20_000;
const RELOAD_TIMEOUT_MS = 20_000;
// Rspamd takes 40 seconds to start with a new suffix list.
const RESTART_TIMEOUT_MS = 110_000;

const run = promisify(execFile);

type ServiceHandlers = Pick<AgentHandlers, 'services.list' | 'services.reload' | 'services.restart'>;

/** Reloads and restarts the four services of a mail server, with systemd or, without it, with `stack`. */
export function createServiceHandlers({ config, data }: Installation): ServiceHandlers {
  const reload: Partial<Record<MailService, () => Promise<unknown>>> = {
    postfix: () => run('postfix', ['-c', join(config, 'postfix'), 'reload'], { timeout: RELOAD_TIMEOUT_MS }),
    dovecot: () =>
      run('doveadm', ['-c', join(config, 'dovecot/dovecot.conf'), 'reload'], { timeout: RELOAD_TIMEOUT_MS }),
    rspamd: async () => process.kill(Number(await readFile(join(data, 'run/rspamd/rspamd.pid'), 'utf8')), 'SIGHUP'),
  };
  return {
    'services.list': async () => {
      const lines = await health(config);
      return { services: MAIL_SERVICES.map((service) => ({ service, isUp: lines.includes(`${service} is up`) })) };
    },
    'services.reload': async ({ service }) => {
      const name = requireService(service);
      const reloadService = reload[name];
      if (!reloadService) return { isDone: false };
      if (await isManagedBySystemd(name))
        await run('systemctl', ['reload', unitOf(name)], { timeout: RELOAD_TIMEOUT_MS });
      else await reloadService();
      return { isDone: true };
    },
    'services.restart': async ({ service }) => {
      const name = requireService(service);
      if (await isManagedBySystemd(name)) {
        await run('systemctl', ['restart', unitOf(name)], { timeout: RESTART_TIMEOUT_MS });
        return {};
      }
      await run(STACK, ['restart', config, name], { timeout: RESTART_TIMEOUT_MS });
      return {};
    },
  };
}

/** Checks the request again before anything runs, because it comes from the database. */
function requireService(service: MailService): MailService {
  if (!MAIL_SERVICES.includes(service)) throw new Error('Unknown service.');
  return service;
}

/** `stack health` exits with 1 if a service is down, and names it. */
async function health(config: string): Promise<string[]> {
  const { stdout } = await run(STACK, ['health', config], { timeout: HEALTH_TIMEOUT_MS }).catch(
    (error: { code?: unknown; stdout?: string }) => {
      if (error.code !== 1) throw error;
      return { stdout: error.stdout ?? '' };
    },
  );
  return stdout.split('\n');
}

function unitOf(service: MailService): string {
  return `postroom-mail-${service}.service`;
}

async function isManagedBySystemd(service: MailService): Promise<boolean> {
  return run('systemctl', ['is-enabled', '--quiet', unitOf(service)], { timeout: RELOAD_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}
