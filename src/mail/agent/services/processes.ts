import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MailService } from '@/lib/mail/operations';
import type { Installation } from '../installation';
import { runOrThrow } from '../operations/run-command';

export type ServiceProcess = { pid: number; startedAt: Date };

// As in deploy/mail/stack.
const PID_FILES: Record<MailService, string> = {
  redis: 'run/redis/redis.pid',
  rspamd: 'run/rspamd/rspamd.pid',
  dovecot: 'run/dovecot/master.pid',
  postfix: 'queue/pid/master.pid',
};
const NAMES: Record<MailService, string> = {
  redis: 'redis-server',
  rspamd: 'rspamd',
  dovecot: 'dovecot',
  postfix: 'master',
};
/** Linux counts the start of a process in these. */
const TICKS_PER_SECOND = 100;
const VERSION_TIMEOUT_MS = 10_000;

/** A running process. */
export type RunningProcess = { name: string; ticksAtStart: number };

/** Null if there is none with this pid. */
export async function readProcess(pid: number): Promise<RunningProcess | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the process, in parentheses, can contain spaces.
  const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)/s.exec(text) ?? [];
  const [state, ticks] = [rest.split(' ')[0], Number(rest.split(' ')[19])];
  return text === '' || state === 'Z' ? null : { name, ticksAtStart: ticks };
}

export async function secondsSinceStart({ ticksAtStart }: RunningProcess): Promise<number> {
  const [uptime] = (await readFile('/proc/uptime', 'utf8')).split(' ');
  return Number(uptime) - ticksAtStart / TICKS_PER_SECOND;
}

/** The main process of a service; null if it doesn't run. */
export async function findProcess({ data }: Installation, service: MailService): Promise<ServiceProcess | null> {
  try {
    const pid = Number((await readFile(join(data, PID_FILES[service]), 'utf8')).trim());
    const [found, system] = await Promise.all([readProcess(pid), readFile('/proc/stat', 'utf8')]);
    // Another process can have the pid in a pid file that a crash left.
    if (found?.name !== NAMES[service]) return null;
    const bootedAt = Number(/^btime (\d+)$/m.exec(system)?.[1]);
    return { pid, startedAt: new Date((bootedAt + found.ticksAtStart / TICKS_PER_SECOND) * 1000) };
  } catch {
    return null;
  }
}

/** The installed version of a service; null if its program can't say. */
export async function findVersion(service: MailService): Promise<string | null> {
  const [file, ...args] = VERSION_COMMANDS[service];
  try {
    const lines = await runOrThrow({ file, args, withinMs: VERSION_TIMEOUT_MS });
    return /\d+(\.\d+)+/.exec(lines.join('\n'))?.[0] ?? null;
  } catch {
    return null;
  }
}

const VERSION_COMMANDS: Record<MailService, [string, ...string[]]> = {
  redis: ['redis-server', '--version'],
  rspamd: ['rspamd', '--version'],
  dovecot: ['dovecot', '--version'],
  postfix: ['postconf', '-d', '-h', 'mail_version'],
};
