import path from 'node:path';
import pLimit from 'p-limit';
import { KEYS_LOGIN } from '@/lib/mail/services';
import { sandboxCertificate } from '@/mail/sandbox/certificate';
import { type SubmissionPort, type SubmissionSession, startSandboxInbound } from '@/mail/sandbox/inbound';
import { deleteOldMessages } from '@/mail/sandbox/retention';
import { identify } from '@/server/access/actor';
import { requireAllowedAddress, requirePermission } from '@/server/access/authorize';
import { repeat } from '@/server/background/repeat';
import { systemClock } from '@/server/clock';
import { isUniqueViolation } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { limitKey } from '@/server/limits/rate-limit';
import { log } from '@/server/log';
import { type Context, createContext } from '@/server/procedures/context';
import { auditedWrites } from '@/server/procedures/mutation';
import { env } from '@/server/settings/env';
import type { PreparedMessage } from '../composing/message-jobs';
import { sendMessage } from '../service';
import { authorizeSession, checkKeyRecipient, replyOf } from './by-key';
import { sandboxCalls, sandboxFolder, sandboxPort } from './mta';
import { messageBySmtp } from './smtp-message';
import { hasOutcome, uncertain } from './submit';

const MB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;
const CLEANUP_INTERVAL_MS = 10 * 60_000;

/**
 * Starts the SMTP port of the sandbox: for mail to managed domains, and for API keys, which sign in after STARTTLS. Deletes what the
 * sandbox has kept for long enough.
 * @returns a function that ends it
 * @throws if the port is in use
 */
export async function startSandboxSmtp(): Promise<() => Promise<void>> {
  const { maxMessageSizeMb, sandboxSmtpPort: port } = env();
  const dir = sandboxFolder();
  const inboundDir = path.join(dir, 'inbound');
  const { resolve, receive } = sandboxCalls();
  const tls = await sandboxCertificate(path.join(dir, 'tls'), systemClock.now());
  const listener = await startSandboxInbound({
    dir: inboundDir,
    maxMessageBytes: maxMessageSizeMb * MB,
    port,
    isPortConfigured: Boolean(process.env.SANDBOX_SMTP_PORT),
    resolve,
    receive,
    submissions: { ...SUBMISSIONS, tls },
  }).catch((error) => {
    throw isInUse(error) ? new Error(portInUse(port)) : error;
  });
  sandboxPort.current = listener.port;
  const cleanup = repeat('deleting old sandbox messages', CLEANUP_INTERVAL_MS, () => {
    const { sandboxRetentionDays, sandboxMaxSizeMb } = env();
    const limits = { maxAgeMs: sandboxRetentionDays * DAY_MS, maxBytes: sandboxMaxSizeMb * MB };
    return deleteOldMessages([dir, inboundDir], limits, systemClock.now());
  });
  cleanup.runNow();
  log.info(
    { port: listener.port },
    'sandbox: accepts mail for the managed domains, and of API keys, by SMTP on 127.0.0.1',
  );
  return async () => {
    sandboxPort.current = undefined;
    await cleanup.end();
    await listener.close();
  };
}

/** The same rules as on the mail server, where Postfix asks for them one by one. */
const SUBMISSIONS: SubmissionPort = {
  async signIn(name, password, clientAddress) {
    if (name !== KEYS_LOGIN) return null;
    const ctx = contextOf(clientAddress, password);
    try {
      const actor = await identify(ctx.credentials, ctx.clock);
      if (!actor.key) return null;
      requirePermission(actor, 'send');
      requireAllowedAddress(actor.key, clientAddress);
      return actor.key.id;
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return null;
      throw error;
    }
  },
  async checkRecipient(session, recipient) {
    const action = await checkKeyRecipient(contextOf(session.clientAddress), keySession(session), recipient);
    return action === 'DUNNO' ? null : action;
  },
  submit: (session, recipients, raw) => limitSubmissions(() => submit(session, recipients, raw)),
};

/** Each needs memory for several copies of its message. */
const limitSubmissions = pLimit(4);

async function submit(session: SubmissionSession, recipients: string[], raw: Buffer) {
  const ctx = contextOf(session.clientAddress);
  try {
    const { actor, key } = await authorizeSession(ctx, keySession(session));
    await limitKey(ctx, key);
    const message = await messageBySmtp({ sender: session.sender, recipients, raw }, ctx.clock.now());
    if ('refusal' in message) return message;
    const call = { path: 'smtp', action: 'message.send', actor, condition: null } as const;
    const { writes } = auditedWrites(ctx, call);
    const given = { fingerprint: new Uint8Array(), message, details: { source: 'smtp' } };
    const sent = await sendMessage({ ...ctx, actor, ...writes }, given).catch(async (error: unknown) => {
      const refusal = await finalRefusal(ctx, message, error);
      if (refusal === null) throw error;
      return { refusal };
    });
    return 'refusal' in sent ? sent : { queueId: sent.id.replaceAll('-', '') };
  } catch (error) {
    return { refusal: replyOf(error) };
  }
}

/**
 * The reply to a message whose outcome is stored, now or by an earlier submission with its Message-ID: a client that tries again would
 * send it twice, or never succeed. Null for other errors.
 */
async function finalRefusal(
  { db }: Pick<Context, 'db'>,
  { messageId, from }: PreparedMessage,
  error: unknown,
): Promise<string | null> {
  if (hasOutcome(error)) return `554 5.0.0 ${error.message}`;
  if (!isUniqueViolation(error)) return null;
  const where = { messageId, direction: 'outbound', queueId: null } as const;
  const earlier = await db.message.findFirst({ where, select: { id: true, status: true, fromAddress: true } });
  if (!earlier || earlier.status === 'submitting') return null;
  if (earlier.status === 'uncertain' && earlier.fromAddress === from)
    return `554 5.0.0 ${uncertain(earlier.id, messageId).message}`;
  return '554 5.7.1 Another message has this Message-ID: send it with a new one';
}

function keySession({ login, sender }: SubmissionSession) {
  return { keyId: login, sender };
}

/** A context as of a call by REST. */
function contextOf(clientAddress: string, key?: string) {
  const headers = new Headers({ 'x-postroom-client-ip': clientAddress, 'user-agent': 'SMTP' });
  // Others than keys have characters that no header may have.
  if (key !== undefined && /^\w+$/.test(key)) headers.set('authorization', `Bearer ${key}`);
  return createContext(new Request('http://127.0.0.1/', { headers }));
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function portInUse(port: number): string {
  return process.env.SANDBOX_SMTP_PORT
    ? `Port ${port} is in use. Stop the program that listens there, or set SANDBOX_SMTP_PORT to another port.`
    : `Port ${port} and the ports after it are in use. Set SANDBOX_SMTP_PORT to a free port.`;
}
