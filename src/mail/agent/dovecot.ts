import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation } from './installation';
import { runCommand, runOrThrow } from './operations/run-command';
import { readProcess, secondsSinceStart } from './services/processes';

type Paths = Pick<Installation, 'config' | 'data'>;

/** A session of a mailbox, by IMAP or ManageSieve. */
export type MailSession = { address: string; pid: number };

const COMMAND_TIMEOUT_MS = 10_000;
const ANSWER_TIMEOUT_MS = 1_000;
/** EX_NOUSER */
const NO_USER = 67;
const SESSION_PROCESSES = ['imap', 'managesieve'];

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

/** The open sessions of all mailboxes. */
export async function listSessions({ config }: Pick<Paths, 'config'>): Promise<MailSession[]> {
  const sessions: MailSession[] = [];
  const onLine = (line: string, stream: 'stdout' | 'stderr') => {
    const [address, , pid] = line.split('\t');
    if (stream === 'stdout' && address?.includes('@')) sessions.push({ address, pid: Number(pid) });
  };
  await runOrThrow({ ...doveadm(config, ['-f', 'tab', 'who', '-1']), onLine });
  return sessions;
}

/** Seconds since the session began; null if it is over. */
export async function ageOfSession({ pid }: MailSession): Promise<number | null> {
  const process = await readProcess(pid);
  return process && SESSION_PROCESSES.includes(process.name) ? secondsSinceStart(process) : null;
}

/** Ends a session, as `doveadm kick` does with all those of a mailbox. */
export function endSession({ pid }: MailSession): void {
  endProcess(pid);
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
