import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSlots } from './slots';
import { oneLine, parseReply, queueIdOf, type SmtpReply } from './smtp-reply';
import { openSession, SessionError, type SmtpRefusal, type SmtpResult, type SmtpSession } from './smtp-session';
import { parseSmtpUrl } from './smtp-url';

type Submission = { envelope: { from: string; to: readonly string[] }; raw: Buffer };

type RefusedRecipient = SmtpReply & { address: string };

/**
 * accepted: the server took responsibility for the message, except for rejected recipients. refused: definitely not sent.
 * uncertain: all data was sent and no reply came, so it may be sent; only the server's log can tell.
 */
export type SubmitOutcome =
  | { outcome: 'accepted'; queueId: string | null; response: string; refusedRecipients: RefusedRecipient[] }
  | ({ outcome: 'refused'; isTemporary: boolean; refusedRecipients: RefusedRecipient[] } & SmtpReply)
  | { outcome: 'uncertain'; reason: string };

/** The port to the mail server. `submit` never rejects and never submits a message twice. */
export type SmtpSubmitter = {
  submit: (submission: Submission) => Promise<SubmitOutcome>;
  /** Rejects new messages, waits for running ones, then disconnects. */
  close: () => Promise<void>;
};

/** Timeouts: from waiting for a connection to the server's 354; for progress of the data; for the final reply. */
export type SubmitTimeouts = { setupMs: number; stallMs: number; verdictMs: number; idleMs: number };

/** Submits over at most `?pool=` pooled connections. Every hang ends within 15 s. @throws for an invalid URL */
export function createSmtpSubmitter(
  smtpUrl: string,
  options: { timeouts?: Partial<SubmitTimeouts> } = {},
): SmtpSubmitter {
  const target = parseSmtpUrl(smtpUrl);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const slots = createSlots(target.connections);
  const idle: Kept[] = [];
  const underWay = new Set<Promise<unknown>>();
  let isClosing = false;

  async function submitWhenFree({ envelope, raw }: Submission): Promise<SubmitOutcome> {
    const startedAt = performance.now();
    const limits = {
      setupDeadlineAt: startedAt + timeouts.setupMs,
      stallMs: timeouts.stallMs,
      verdictMs: timeouts.verdictMs,
      verdictDeadlineAt: startedAt + timeouts.setupMs + timeouts.verdictMs,
    };
    if (!(await slots.take(limits.setupDeadlineAt))) {
      return unsent(isClosing ? 'The service is shutting down.' : 'All connections to the mail server are in use.');
    }
    try {
      const kept = takeIdle();
      if (kept) {
        const result = await kept.session.send(envelope, raw, limits);
        if (!isStale(result)) return conclude(kept, result);
      }
      const fresh = await open(limits.setupDeadlineAt);
      return conclude(fresh, await fresh.session.send(envelope, raw, limits));
    } catch (error) {
      slots.free();
      return notConnected(error);
    }
  }

  async function open(deadlineAt: number): Promise<Kept> {
    const kept: Kept = { session: await openSession(target, deadlineAt), sent: 0, timer: undefined };
    kept.session.onEnd(() => leaveIdle(kept));
    return kept;
  }

  function conclude(kept: Kept, result: SmtpResult): SubmitOutcome {
    const outcome = outcomeOf(result);
    kept.sent += 1;
    const settled = settle(kept, outcome).catch(() => kept.session.destroy());
    track(settled.finally(() => slots.free()));
    return outcome;
  }

  // One event loop turn reveals a surplus reply, which would otherwise be taken for the next message.
  async function settle(kept: Kept, outcome: SubmitOutcome): Promise<void> {
    const { session } = kept;
    const isInStep = outcome.outcome === 'accepted' || (outcome.outcome === 'refused' && outcome.smtpCode !== null);
    if (!isInStep) session.destroy();
    await nextTurn();
    if (outcome.outcome === 'refused' && session.isAlive) await session.reset(performance.now() + RESET_MS);
    keep(kept);
  }

  function keep(kept: Kept): void {
    if (!kept.session.isAlive) return;
    if (isClosing || kept.sent >= MESSAGES_PER_CONNECTION) {
      kept.session.quit();
      return;
    }
    idle.push(kept);
    kept.timer = setTimeout(() => {
      leaveIdle(kept);
      kept.session.quit();
    }, timeouts.idleMs).unref();
  }

  function takeIdle(): Kept | undefined {
    const kept = idle.at(-1);
    if (kept) leaveIdle(kept);
    return kept;
  }

  function leaveIdle(kept: Kept): void {
    clearTimeout(kept.timer);
    const at = idle.indexOf(kept);
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
      for (const kept of [...idle]) {
        leaveIdle(kept);
        kept.session.quit();
      }
    },
  };
}

type Kept = { session: SmtpSession; sent: number; timer: NodeJS.Timeout | undefined };

// setupMs + verdictMs and setupMs + stallMs stay under 15 s, so no request waits longer for a hanging server.
const DEFAULT_TIMEOUTS: SubmitTimeouts = { setupMs: 7000, stallMs: 7000, verdictMs: 7000, idleMs: 10_000 };
const RESET_MS = 2000;
const MESSAGES_PER_CONNECTION = 100;

// The server closed a pooled connection: no data was written, so another connection can be used.
function isStale(result: SmtpResult): boolean {
  return (
    !result.isBegun && !result.isOwnRefusal && (result.reply === null || parseReply(result.reply).smtpCode === 421)
  );
}

function outcomeOf(result: SmtpResult): SubmitOutcome {
  const reply = result.reply === null ? null : parseReply(result.reply);
  const refusedRecipients = result.refusals.map(refusedRecipient);
  const replyClass = reply?.smtpCode ? Math.floor(reply.smtpCode / 100) : null;
  if (reply && (replyClass === 4 || replyClass === 5)) {
    return { outcome: 'refused', isTemporary: replyClass === 4, refusedRecipients, ...reply };
  }
  if (!result.isHandedOver) {
    const response = reply?.response || oneLine(result.fault ?? '');
    return { ...unsent(response), isTemporary: !result.isOwnRefusal, refusedRecipients };
  }
  if (reply && replyClass === 2 && result.fault === null) {
    return { outcome: 'accepted', queueId: queueIdOf(reply.response), response: reply.response, refusedRecipients };
  }
  return { outcome: 'uncertain', reason: oneLine(result.fault ?? `The mail server replied: ${result.reply}`) };
}

function refusedRecipient({ address, reply }: SmtpRefusal): RefusedRecipient {
  return { address, ...parseReply(reply) };
}

function notConnected(error: unknown): SubmitOutcome {
  if (!(error instanceof SessionError)) return unsent('The mail server could not be reached.');
  const reply = error.reply === null ? null : parseReply(error.reply);
  if (!reply) return unsent(oneLine(error.message));
  return { ...unsent(reply.response), ...reply, isTemporary: reply.smtpCode === null || reply.smtpCode < 500 };
}

function unsent(response: string) {
  return {
    outcome: 'refused' as const,
    isTemporary: true,
    smtpCode: null,
    enhancedCode: null,
    response,
    refusedRecipients: [],
  };
}
