import { Readable } from 'node:stream';
import SMTPConnection, { type SentMessageInfo, type SMTPError } from 'nodemailer/lib/smtp-connection';
import type { SmtpTarget } from './smtp-url';

export type SmtpRefusal = { address: string; reply: string };

/** Result of one message. `reply` is the server's raw reply, or null without one. */
export type SmtpResult = {
  reply: string | null;
  error: string | null;
  isLocalRefusal: boolean;
  refusals: SmtpRefusal[];
  /** Some of the data was written. */
  isDataStarted: boolean;
  /** All of it including the final dot was written, so the server may have accepted it. */
  isDataComplete: boolean;
};

type SmtpLimits = { setupDeadlineAt: number; stallMs: number; replyMs: number; replyDeadlineAt: number };

export type SmtpSession = {
  readonly isAlive: boolean;
  /** @param beforeData runs once the server has asked for the data. If it fails, no data is sent and the session ends. */
  send: (
    envelope: { from: string; to: readonly string[] },
    raw: Buffer,
    limits: SmtpLimits,
    beforeData?: () => Promise<void>,
  ) => Promise<SmtpResult>;
  /** Resets a rejected transaction (RSET). Rejects, ending the session, if the server does not confirm in time. */
  reset: (deadlineAt: number) => Promise<void>;
  /** Sends QUIT and closes within a second. */
  quit: () => void;
  destroy: () => void;
  onEnd: (listener: () => void) => void;
};

/** Connects, greets, upgrades and authenticates by `deadlineAt` (performance.now()). Rejects with {@link SessionError}. */
export async function openSession(target: SmtpTarget, deadlineAt: number): Promise<SmtpSession> {
  const connection = connectionTo(target, deadlineAt);
  await step(connection, deadlineAt, (done) => connection.connect(done));
  const { auth } = target;
  if (auth && connection.allowsAuth) await step(connection, deadlineAt, (done) => connection.login({ ...auth }, done));
  return {
    get isAlive() {
      return !connection.destroyed;
    },
    send: (...message) => transfer(connection, ...message),
    reset: (resetDeadlineAt) => step(connection, resetDeadlineAt, (done) => connection.reset(done)),
    quit() {
      connection.quit();
      const timer = setTimeout(() => connection.close(), QUIT_MS);
      timer.unref();
      connection.once('end', () => clearTimeout(timer));
    },
    destroy: () => connection.close(),
    onEnd: (listener) => connection.once('end', listener),
  };
}

export class SessionError extends Error {
  constructor(
    message: string,
    readonly reply: string | null,
  ) {
    super(message);
  }
}

const QUIT_MS = 1000;
const CHUNK_BYTES = 64 * 1024;
const MAX_REPLY_BYTES = 64 * 1024;

function connectionTo(target: SmtpTarget, deadlineAt: number): SMTPConnection {
  const leftMs = Math.max(1, Math.ceil(deadlineAt - performance.now()));
  const connection = new SMTPConnection({
    host: target.host,
    port: target.port,
    secure: target.isImplicitTls,
    requireTLS: target.startTls === 'required',
    ignoreTLS: target.startTls === 'off',
    tls: { rejectUnauthorized: target.isCertificateChecked },
    dnsTimeout: leftMs,
    connectionTimeout: leftMs,
    greetingTimeout: leftMs,
    socketCloseTimeout: 0,
    maxResponseSize: MAX_REPLY_BYTES,
  });
  connection.on('error', ignore);
  return connection;
}

function ignore() {}

function step(
  connection: SMTPConnection,
  deadlineAt: number,
  start: (done: (error?: SMTPError | null) => void) => void,
) {
  return new Promise<void>((resolve, reject) => {
    const finish = (error?: SMTPError | SessionError | null) => {
      clearTimeout(timer);
      connection.off('error', finish);
      connection.off('end', onEnd);
      if (!error) return resolve();
      connection.close();
      reject(error instanceof SessionError ? error : new SessionError(error.message, error.response || null));
    };
    // The callback with more details runs right after the event.
    const onEnd = () => setImmediate(finish, new SessionError('The mail server closed the connection.', null));
    const onTimeout = () => finish(new SessionError('The mail server did not respond in time.', null));
    const timer = setTimeout(onTimeout, Math.max(0, deadlineAt - performance.now()));
    connection.once('error', finish);
    connection.once('end', onEnd);
    start(finish);
  });
}

/**
 * Sends one message once, with every wait bounded: the setup deadline until the server asks for the data, `stallMs` without
 * progress while sending, then the reply timeout plus as long as sending took.
 */
function transfer(
  connection: SMTPConnection,
  envelope: { from: string; to: readonly string[] },
  raw: Buffer,
  limits: SmtpLimits,
  beforeData?: () => Promise<void>,
): Promise<SmtpResult> {
  return new Promise((resolve) => {
    let dataStartedAt: number | null = null;
    let isDataComplete = false;
    let timer: NodeJS.Timeout;

    const waitUntil = (deadlineAt: number) => {
      clearTimeout(timer);
      timer = setTimeout(
        () => settle({ error: 'The mail server did not respond in time.' }),
        deadlineAt - performance.now(),
      );
    };
    const settle = (result: Partial<SmtpResult>) => {
      clearTimeout(timer);
      source.off('end', onDataComplete).destroy();
      connection.off('error', onError);
      connection.off('end', onEnd);
      const isReusable = result.reply != null && (dataStartedAt === null || isDataComplete);
      if (!isReusable) connection.close();
      resolve({ ...NO_RESULT, ...result, isDataStarted: dataStartedAt !== null, isDataComplete });
    };
    const onError = (error: SMTPError) => settle(failure(error));
    const onEnd = () => setImmediate(settle, { error: 'The mail server closed the connection.' });
    const onDataComplete = () => {
      isDataComplete = true;
      const now = performance.now();
      waitUntil(Math.max(now + limits.replyMs, limits.replyDeadlineAt) + (now - (dataStartedAt ?? now)));
    };
    const onChunk = () => {
      dataStartedAt ??= performance.now();
      waitUntil(performance.now() + limits.stallMs);
    };

    const source = chunked(raw, onChunk, beforeData);
    source.once('error', ({ message }) => settle({ error: message }));
    source.once('end', onDataComplete);
    connection.once('error', onError);
    connection.once('end', onEnd);
    waitUntil(limits.setupDeadlineAt);
    const { from, to } = envelope;
    connection.send({ from, to: [...to], size: raw.length }, source, (error, info) =>
      settle(error ? failure(error) : success(info)),
    );
  });
}

const NO_RESULT: SmtpResult = {
  reply: null,
  error: null,
  isLocalRefusal: false,
  refusals: [],
  isDataStarted: false,
  isDataComplete: false,
};

// Read only after the server's 354, one chunk ahead of the socket; its end comes right before the final dot. One chunk per
// event loop turn, because dot-stuffing works byte by byte and would block others.
function chunked(raw: Buffer, onChunk: () => void, beforeData = async () => {}): Readable {
  let offset = 0;
  let isReady: Promise<void> | undefined;
  return new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      const push = () => {
        if (this.destroyed) return;
        onChunk();
        const chunk = raw.subarray(offset, offset + CHUNK_BYTES);
        offset += chunk.length;
        this.push(chunk.length > 0 ? chunk : null);
      };
      isReady ??= beforeData();
      isReady.then(
        () => setImmediate(push),
        (error: unknown) => this.destroy(new Error('The message was held back before its data.', { cause: error })),
      );
    },
  });
}

function success(info: SentMessageInfo): Partial<SmtpResult> {
  return { reply: info.response, refusals: refusalsOf(info.rejectedErrors) };
}

// EMESSAGE or EENVELOPE without a reply: nodemailer rejected it because of the server's announced SIZE.
function failure(error: SMTPError): Partial<SmtpResult> {
  return {
    reply: error.response || null,
    error: error.message,
    isLocalRefusal: !error.response && (error.code === 'EMESSAGE' || error.code === 'EENVELOPE'),
    refusals: refusalsOf(error.rejectedErrors),
  };
}

function refusalsOf(errors: SMTPError[] | undefined): SmtpRefusal[] {
  return (errors ?? []).map((error) => ({ address: error.recipient ?? '', reply: error.response ?? '' }));
}
