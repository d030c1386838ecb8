import { once } from 'node:events';
import { connect } from 'node:tls';
import type { Redis } from 'ioredis';
import { type Finding, measured, probed, unknown } from '@/lib/health/finding';
import type { Installation } from '../installation';
import type { AgentHandlers } from '../requests';
import { probeService } from '../services/probe';
import { readGreeting } from './greeting';

type Parts = {
  installation: Installation;
  handlers: Pick<AgentHandlers, 'queue.list'>;
  /** Resolves once the mail server's Redis has stored something. */
  writeToRedis: () => Promise<unknown>;
  /** When the mail log was last read to its end. */
  logReadAt: () => Date;
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the agent's findings on the mail server's host, made by connecting as a client does. */
export async function checkMailServer({ installation, handlers, writeToRedis, logReadAt }: Parts): Promise<Finding[]> {
  const { host, ports } = installation;
  const [smtp, submission, imap, rspamd, redis, queue] = await Promise.all([
    probed('smtp', host, (signal) =>
      readGreeting({ ...at(installation, ports.smtp), greeting: '220 ', goodbye: 'QUIT' }, signal),
    ),
    checkTls('smtp_submission', installation, { port: ports.submissions, greeting: '220 ', goodbye: 'QUIT' }),
    checkTls('imap', installation, { port: ports.imaps, greeting: '* OK', goodbye: '1 LOGOUT' }),
    probed('rspamd', host, () => probeService(installation, 'rspamd')),
    probed('mail_redis', host, writeToRedis),
    checkQueue(host, handlers['queue.list']),
  ]);
  const lag = measured('mail_log', Math.round((Date.now() - logReadAt().getTime()) / 1000), host);
  return [smtp, ...submission, ...imap, rspamd, redis, ...queue, lag];
}

/** A Redis that is full still answers, but takes neither keys nor mail. */
export async function writeToRedis(redis: Pick<Redis, 'set'>): Promise<void> {
  try {
    await redis.set('postroom:health', '1', 'EX', 60);
  } catch (error) {
    if (!(error as Error).message.startsWith('OOM ')) throw error;
    throw new Error('Its memory is full, so that nothing can be stored (REDIS_MEMORY_MB).');
  }
}

type Service = { port: number; greeting: string; goodbye: string };

/** The greeting of a service with implicit TLS and, where that is the submission port, its certificate. */
async function checkTls(
  name: 'smtp_submission' | 'imap',
  installation: Installation,
  { port, ...texts }: Service,
): Promise<Finding[]> {
  const { host } = installation;
  let validTo: string | undefined;
  const greeted = await probed(name, host, async (signal) => {
    // Whether clients trust it is checked from outside, by the domain's DNS page.
    const socket = connect({ ...at(installation, port), servername: host, rejectUnauthorized: false });
    try {
      await once(socket, 'secureConnect', { signal });
      validTo = socket.getPeerCertificate().valid_to;
      await readGreeting({ socket, ...texts }, signal);
    } finally {
      socket.destroy();
    }
  });
  if (name === 'imap' || validTo === undefined) return [greeted];
  const daysLeft = Math.floor((Date.parse(validTo) - Date.now()) / DAY_MS);
  return [greeted, measured('certificate', daysLeft, host)];
}

async function checkQueue(host: string, list: Parts['handlers']['queue.list']): Promise<Finding[]> {
  try {
    const { messages, counts } = await list({ order: 'asc', limit: 1 });
    const count = Object.values(counts).reduce((sum, one) => sum + one, 0);
    const oldest = messages[0] ? (Date.now() - Date.parse(messages[0].arrivedAt)) / 1000 : 0;
    return [measured('queue', count, host), measured('queue_age', Math.round(oldest), host)];
  } catch (error) {
    return [unknown('queue', host, error)];
  }
}

function at({ probeAddress }: Installation, port: number) {
  return { host: probeAddress, port };
}
