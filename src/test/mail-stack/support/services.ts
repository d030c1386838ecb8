import { execFile, execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { MAIL_SERVICES, type MailService } from '@/lib/mail/operations';
import { readInstallation } from '@/mail/agent/installation';
import { findProcess } from '@/mail/agent/services/processes';
import { signalAgent } from './agent';
import { COMMAND_TIMEOUT_MS, mailServer } from './mail-server';
import { isRunning, processTree, readProc, signalProcesses } from './processes';

const STACK = fileURLToPath(new URL('../../../../deploy/mail/stack', import.meta.url));

const QUIET_LOOKS = 10;

/** Stops a service of the mail server, runs `work` and starts the service again. */
export async function whileStopped(service: MailService, work: () => Promise<void>): Promise<void> {
  runStack('stop', service);
  try {
    await work();
  } finally {
    runStack('start', service);
  }
}

/** Continues and starts all services and the agent, after a test that may have failed while some of them were suspended or killed. */
export async function restoreServices(): Promise<void> {
  const found = await Promise.all(
    MAIL_SERVICES.map((service) => findProcess(readInstallation(mailServer.config), service)),
  );
  for (const main of found) if (main) signalProcesses(processTree(main.pid), 'SIGCONT');
  signalAgent('SIGCONT');
  runStack('start');
}

/** Runs the `stack` script. */
export function runStack(verb: 'start' | 'stop' | 'revive', ...services: MailService[]): void {
  execFileSync(STACK, [verb, mailServer.config, ...services], { timeout: COMMAND_TIMEOUT_MS });
}

/**
 * Kills all processes of a service, like a host without memory may, and starts it again.
 * @param losesLog whether what Postfix's logger hasn't written yet is lost
 */
export async function killService(service: MailService, { losesLog = false } = {}): Promise<void> {
  if (service === 'postfix' && !losesLog) await writeLogToEnd(await signalService(service, 'SIGSTOP'));
  const pids = await signalService(service, 'SIGKILL');
  await expect.poll(() => pids.filter(isRunning), { interval: 20 }).toEqual([]);
  await promisify(execFile)(STACK, ['start', mailServer.config, service]);
}

/** Lets Postfix's logger write what the other processes, which are stopped, have handed to it. */
async function writeLogToEnd(pids: number[]): Promise<void> {
  const loggers = pids.filter((pid) => readProc(pid, 'comm').trim() === 'postlogd');
  signalProcesses(loggers, 'SIGCONT');
  const { postfixLog } = readInstallation(mailServer.config);
  let size = -1;
  // The logger writes at once; after this many looks without news it has nothing left.
  let looks = 0;
  await expect
    .poll(
      () => {
        const { size: now } = statSync(postfixLog);
        looks = now === size ? looks + 1 : 0;
        size = now;
        return looks;
      },
      { interval: 50 },
    )
    .toBe(QUIET_LOOKS);
}

/** Signals those processes of a service that run the program. */
export async function signalProgram(service: MailService, program: string, signal: NodeJS.Signals): Promise<void> {
  const pids = await processesOf(service);
  signalProcesses(
    pids.filter((pid) => readProc(pid, 'comm').trim() === program),
    signal,
  );
}

/** Signals all processes of a service. */
export async function signalService(service: MailService, signal: NodeJS.Signals): Promise<number[]> {
  const pids = await processesOf(service);
  signalProcesses(pids, signal);
  return pids;
}

async function processesOf(service: MailService): Promise<number[]> {
  const main = await findProcess(readInstallation(mailServer.config), service);
  if (!main) throw new Error(`${service} isn't running`);
  return processTree(main.pid);
}
