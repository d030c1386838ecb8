import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { mailServer } from './mail-server';

const STACK = fileURLToPath(new URL('../../../../deploy/mail/stack', import.meta.url));

type Service = 'redis' | 'rspamd' | 'dovecot' | 'postfix';

/** Stops a service of the mail server, runs `work` and starts the service again. */
export async function whileStopped(service: Service, work: () => Promise<void>): Promise<void> {
  runStack('stop', service);
  try {
    await work();
  } finally {
    runStack('start', service);
  }
}

/** Runs the `stack` script. */
export function runStack(verb: 'start' | 'stop', ...services: Service[]): void {
  execFileSync(STACK, [verb, mailServer.config, ...services]);
}
