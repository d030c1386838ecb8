import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation } from './installation';
import { runCommand, runOrThrow } from './operations/run-command';

type Paths = Pick<Installation, 'config' | 'data'>;

const COMMAND_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 1_000;
/** EX_NOUSER */
const NO_USER = 67;

/** The process and the socket of Dovecot's LMTP. It isn't connected to, because Dovecot logs every connection. */
export async function dovecotInstance({ data }: Pick<Paths, 'data'>): Promise<string | null> {
  try {
    const pid = Number(await readFile(join(data, 'run/dovecot/master.pid'), 'utf8'));
    process.kill(pid, 0);
    const { ino } = await stat(join(data, 'run/dovecot/lmtp'));
    return `${pid} ${ino}`;
  } catch {
    return null;
  }
}

/** Whether Dovecot can ask Postgres. The address is of no mailbox. */
export async function canDovecotAsk({ config }: Pick<Paths, 'config'>): Promise<boolean> {
  const command = doveadm(config, ['user', '--', 'nobody@localhost'], ANSWER_TIMEOUT_MS);
  return runCommand(command).then(
    ({ exitCode }) => exitCode === NO_USER,
    () => false,
  );
}

/**
 * Makes Dovecot connect to Postgres sooner. Its process for dictionaries, such as filters, is started again. A sign-in service that
 * runs connects within 15 seconds, and stays, because mail programs would take its end for a wrong password. One that was started
 * without Postgres has crashed, and Dovecot would wait up to a minute before it starts it again.
 */
export async function reconnectDovecot({ config }: Pick<Paths, 'config'>): Promise<void> {
  const [, ...rows] = await runOrThrow(doveadm(config, ['-f', 'tab', 'process', 'status', 'auth', 'dict']));
  const processes = rows.map((row) => row.split('\t'));
  for (const [name, pid] of processes) if (name === 'dict') endProcess(Number(pid));
  // It is started by the first question.
  const isAuthRunning = processes.some(([name]) => name === 'auth') || (await canDovecotAsk({ config }));
  if (!isAuthRunning) await runOrThrow(doveadm(config, ['reload']));
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function doveadm(config: string, args: string[], withinMs = COMMAND_TIMEOUT_MS) {
  return { file: 'doveadm', args: ['-c', join(config, 'dovecot/dovecot.conf'), ...args], withinMs };
}
