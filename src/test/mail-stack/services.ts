import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { mailServer } from './mail-server';

const STACK = fileURLToPath(new URL('../../../deploy/mail/stack', import.meta.url));

type Service = 'redis' | 'rspamd' | 'dovecot' | 'postfix';

/** Stops a service of the mail server while something is done, and starts it again. */
export async function without(service: Service, work: () => Promise<void>): Promise<void> {
  execFileSync(STACK, ['stop', mailServer.config, service]);
  try {
    await work();
  } finally {
    execFileSync(STACK, ['start', mailServer.config, service]);
  }
}
