import { once } from 'node:events';
import { request } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import type { MailService } from '@/lib/mail/operations';
import { readGreeting } from '../health/greeting';
import type { Installation } from '../installation';

const PROBE_TIMEOUT_MS = 5_000;

/** Connects to a service as its clients do. @throws if it doesn't respond, with the reason */
export async function probeService(installation: Installation, service: MailService): Promise<void> {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const timeout = new Promise<never>((_, reject) => {
    const late = () => reject(new Error(`No answer within ${PROBE_TIMEOUT_MS / 1000} seconds.`));
    signal.addEventListener('abort', late, { once: true });
  });
  const probing = PROBES[service](installation, signal);
  // It fails a little later than the race, if at all.
  probing.catch(() => {});
  await Promise.race([probing, timeout]);
}

type Probe = (installation: Installation, signal: AbortSignal) => Promise<unknown>;

const PROBES: Record<MailService, Probe> = {
  redis: pingRedis,
  rspamd: ({ data }, signal) =>
    Promise.all([pingRspamd(data, signal), connectTo(join(data, 'run/rspamd/milter.sock'), signal)]),
  // LMTP too, which Postfix delivers to.
  dovecot: (installation, signal) =>
    Promise.all([
      greetTls(installation, installation.ports.imaps, { greeting: '* OK', goodbye: '1 LOGOUT' }, signal),
      readGreeting(
        { socket: connectTcp(join(installation.data, 'run/dovecot/lmtp')), greeting: '220 ', goodbye: 'QUIT' },
        signal,
      ),
    ]),
  postfix: (installation, signal) =>
    Promise.all([
      readGreeting({ ...at(installation, installation.ports.smtp), greeting: '220 ', goodbye: 'QUIT' }, signal),
      greetTls(installation, installation.ports.submissions, { greeting: '220 ', goodbye: 'QUIT' }, signal),
    ]),
};

async function greetTls(
  installation: Installation,
  port: number,
  texts: { greeting: string; goodbye: string },
  signal: AbortSignal,
): Promise<void> {
  // Whether clients trust it is checked from outside, by the domain's DNS page.
  const socket = connectTls({ ...at(installation, port), servername: installation.host, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal });
    await readGreeting({ socket, ...texts }, signal);
  } finally {
    socket.destroy();
  }
}

async function pingRedis({ redis: { port, password } }: Installation, signal: AbortSignal): Promise<void> {
  const socket = connectTcp({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect', { signal });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
    let reply = '';
    while (reply.split('\r\n').length < 3) {
      const [chunk] = (await once(socket, 'data', { signal })) as [Buffer];
      reply += chunk.toString('latin1');
    }
    if (reply !== '+OK\r\n+PONG\r\n') throw new Error(`It answered: ${reply.trim().replaceAll('\r\n', ', ')}`);
  } finally {
    socket.destroy();
  }
}

async function pingRspamd(data: string, signal: AbortSignal): Promise<void> {
  const ping = request({ socketPath: join(data, 'run/rspamd/controller.sock'), path: '/ping', signal }).end();
  const [response] = await once(ping, 'response', { signal });
  response.resume();
  if (response.statusCode !== 200) throw new Error(`It answered with status ${response.statusCode}.`);
}

async function connectTo(path: string, signal: AbortSignal): Promise<void> {
  const socket = connectTcp(path);
  try {
    await once(socket, 'connect', { signal });
  } finally {
    socket.destroy();
  }
}

function at({ probeAddress }: Installation, port: number) {
  return { host: probeAddress, port };
}
