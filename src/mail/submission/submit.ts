import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OutcomeCause } from '@/lib/mail/outcomes';
import { createSlots } from './slots';
import { oneLine, parseReply, queueIdOf, type SmtpReply } from './smtp-reply';
import { openSession, SessionError, type SmtpRefusal, type SmtpResult, type SmtpSession } from './smtp-session';
import { parseSmtpUrl } from './smtp-url';

type OutgoingMail = {
  envelope: { from: string; to: readonly string[] };
  raw: Buffer;
  /** Runs once the server has asked for the data. If it fails, the message is certainly not accepted. */
  beforeData?: () => Promise<void>;
};

type RefusedRecipient = SmtpReply & { address: string };

/**
 * accepted: the server took responsibility for the message, except for rejected recipients. refused: definitely not sent.
 * uncertain: all data was sent and no reply came, so it may be sent; only the server's log can tell.
 */
export type SubmitOutcome =
  | { outcome: 'accepted'; queueId: string | null; response: string; refusedRecipients: RefusedRecipient[] }
  | ({
      outcome: 'refused';
      cause: Extract<OutcomeCause, 'rejected' | 'not_submitted' | 'not_allowed'>;
      isTemporary: boolean;
      /** The mail server refused the connection or the sign-in, whatever the message. */
      isOfConnection?: boolean;
      refusedRecipients: RefusedRecipient[];
    } & SmtpReply)
  | { outcome: 'uncertain'; reason: string };

/** The port to the mail server. `submit` never rejects and never submits a message twice. */
export type SmtpSubmitter = {
  submit: (submission: OutgoingMail) => Promise<SubmitOutcome>;
  /** Rejects new messages, waits for running ones, then disconnects. */
  close: () => Promise<void>;
};

/** Timeouts: from waiting for a connection to the server's 354; for progress of the data; for the final reply. */
export type SubmitTimeouts = { setupMs: number; stallMs: number; replyMs: number; idleMs: number };

/** Submits over at most `?pool=` pooled connections. Every hang ends within 15 s. @throws for an invalid URL */
export function createSmtpSubmitter(
  smtpUrl: string,
  options: { timeouts?: Partial<SubmitTimeouts> } = {},
): SmtpSubmitter {
  const target = parseSmtpUrl(smtpUrl);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const slots = createSlots(target.connections);
  const idle: PooledSession[] = [];
  const underWay = new Set<Promise<unknown>>();
  let isClosing = false;

  async function submitWhenFree({ envelope, raw, beforeData }: OutgoingMail): Promise<SubmitOutcome> {
    const startedAt = performance.now();
    const limits = {
      setupDeadlineAt: startedAt + timeouts.setupMs,
      stallMs: timeouts.stallMs,
      replyMs: timeouts.replyMs,
      replyDeadlineAt: startedAt + timeouts.setupMs + timeouts.replyMs,
    };
    if (!(await slots.take(limits.setupDeadlineAt))) {
      return notSent(isClosing ? 'The service is shutting down.' : 'All connections to the mail server are in use.');
    }
    try {
      const pooled = takeIdle();
      if (pooled) {
        const result = await pooled.session.send(envelope, raw, limits, beforeData);
        if (!isStale(result)) return conclude(pooled, result);
      }
      const fresh = await open(limits.setupDeadlineAt);
      return conclude(fresh, await fresh.session.send(envelope, raw, limits, beforeData));
    } catch (error) {
      slots.free();
      return notConnected(error);
    }
  }

  async function open(deadlineAt: number): Promise<PooledSession> {
    const pooled: PooledSession = { session: await openSession(target, deadlineAt), sent: 0, timer: undefined };
    pooled.session.onEnd(() => removeFromIdle(pooled));
    return pooled;
  }

  function conclude(pooled: PooledSession, result: SmtpResult): SubmitOutcome {
    const outcome = outcomeOf(result);
    pooled.sent += 1;
    const released = release(pooled, outcome).catch(() => pooled.session.destroy());
    track(released.finally(() => slots.free()));
    return outcome;
  }

  // One event loop turn reveals a surplus reply, which would otherwise be taken for the next message.
  async function release(pooled: PooledSession, outcome: SubmitOutcome): Promise<void> {
    const { session } = pooled;
    const isReusable = outcome.outcome === 'accepted' || (outcome.outcome === 'refused' && outcome.smtpCode !== null);
    if (!isReusable) session.destroy();
    await nextTurn();
    if (outcome.outcome === 'refused' && session.isAlive) await session.reset(performance.now() + RESET_MS);
    returnToPool(pooled);
  }

  function returnToPool(pooled: PooledSession): void {
    if (!pooled.session.isAlive) return;
    if (isClosing || pooled.sent >= MESSAGES_PER_CONNECTION) {
      pooled.session.quit();
      return;
    }
    idle.push(pooled);
    pooled.timer = setTimeout(() => {
      removeFromIdle(pooled);
      pooled.session.quit();
    }, timeouts.idleMs).unref();
  }

  function takeIdle(): PooledSession | undefined {
    const pooled = idle.at(-1);
    if (pooled) removeFromIdle(pooled);
    return pooled;
  }

  function removeFromIdle(pooled: PooledSession): void {
    clearTimeout(pooled.timer);
    const at = idle.indexOf(pooled);
    if (at >= 0) idle.splice(at, 1);
  }

  function track<Value>(work: Promise<Value>): Promise<Value> {
    const tracked = work.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
    return tracked;
  }

  return {
    submit: (submission) => track(submitWhenFree(submission)),
    async close() {
      isClosing = true;
      slots.close();
      while (underWay.size > 0) await Promise.allSettled(underWay);
      for (const pooled of [...idle]) {
        removeFromIdle(pooled);
        pooled.session.quit();
      }
    },
  };
}

type PooledSession = { session: SmtpSession; sent: number; timer: NodeJS.Timeout | undefined };

// setupMs + replyMs and setupMs + stallMs stay under 15 s, so no request waits longer for a hanging server.
const DEFAULT_TIMEOUTS: SubmitTimeouts = { setupMs: 7000, stallMs: 7000, replyMs: 7000, idleMs: 10_000 };
const RESET_MS = 2000;
const MESSAGES_PER_CONNECTION = 100;

// The server closed a pooled connection: no data was written, so another connection can be used.
function isStale(result: SmtpResult): boolean {
  return (
    !result.isDataStarted &&
    !result.isLocalRefusal &&
    (result.reply === null || parseReply(result.reply).smtpCode === 421)
  );
}

function outcomeOf(result: SmtpResult): SubmitOutcome {
  const reply = result.reply === null ? null : parseReply(result.reply);
  const refusedRecipients = result.refusals.map(refusedRecipient);
  const replyClass = reply?.smtpCode ? Math.floor(reply.smtpCode / 100) : null;
  if (reply && (replyClass === 4 || replyClass === 5)) {
    return { outcome: 'refused', cause: 'rejected', isTemporary: replyClass === 4, refusedRecipients, ...reply };
  }
  if (!result.isDataComplete) {
    const response = reply?.response || oneLine(result.error ?? '');
    const cause = result.isLocalRefusal ? 'rejected' : 'not_submitted';
    return { ...notSent(response), cause, isTemporary: !result.isLocalRefusal, refusedRecipients };
  }
  if (reply && replyClass === 2 && result.error === null) {
    return { outcome: 'accepted', queueId: queueIdOf(reply.response), response: reply.response, refusedRecipients };
  }
  return { outcome: 'uncertain', reason: oneLine(result.error ?? `The mail server replied: ${result.reply}`) };
}

function refusedRecipient({ address, reply }: SmtpRefusal): RefusedRecipient {
  return { address, ...parseReply(reply) };
}

function notConnected(error: unknown): SubmitOutcome {
  if (!(error instanceof SessionError)) return notSent('The mail server could not be reached.');
  const reply = error.reply === null ? null : parseReply(error.reply);
  if (!reply) return notSent(oneLine(error.message));
  const isTemporary = reply.smtpCode === null || reply.smtpCode < 500;
  return { ...notSent(reply.response), ...reply, cause: 'rejected', isTemporary, isOfConnection: true };
}

function notSent(response: string) {
  return {
    outcome: 'refused' as const,
    cause: 'not_submitted' as const,
    isTemporary: true,
    smtpCode: null,
    enhancedCode: null,
    response,
    refusedRecipients: [],
  };
}
