import path from 'node:path';
import { type Finding, probed } from '@/lib/health/finding';
import { startSandboxInbound } from '@/mail/sandbox/inbound';
import { deleteOldMessages } from '@/mail/sandbox/retention';
import { type SandboxMta, startSandboxMta } from '@/mail/sandbox/start';
import { openSession } from '@/mail/submission/smtp-session';
import { parseSmtpUrl } from '@/mail/submission/smtp-url';
import { createSmtpSubmitter, type SmtpSubmitter } from '@/mail/submission/submit';
import { mailServerCalls } from '@/modules/messages/service';
import { repeat } from '@/server/background/repeat';
import { systemClock } from '@/server/clock';
import { database } from '@/server/db';
import { log } from '@/server/log';
import { metrics } from '@/server/metrics/metrics';
import { processWide } from '@/server/process-wide';
import { env } from '@/server/settings/env';

const MB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;
/** Above the largest MAX_MESSAGE_SIZE_MB. */
const MAX_SUBMITTED_BYTES = 101 * MB;
const CHECK_TIMEOUT_MS = 5_000;
const CLEANUP_INTERVAL_MS = 10 * 60_000;

const shared = processWide<Promise<SmtpSubmitter | null>>('submitter');

/** This process's connection to the mail server, opened on first use. Null if sending is off. */
export function outboundMta(): Promise<SmtpSubmitter | null> {
  shared.current ??= connect().catch((error) => {
    shared.current = undefined;
    throw error;
  });
  return shared.current;
}

/** How fast the mail server at SMTP_URL greets and signs in. Nothing for the sandbox, which is part of this process. */
export async function checkMta(): Promise<Finding[]> {
  const { smtpUrl } = env();
  if (!smtpUrl || smtpUrl === 'off') return [];
  const target = parseSmtpUrl(smtpUrl);
  const greet = async () => (await openSession(target, performance.now() + CHECK_TIMEOUT_MS)).quit();
  return [await probed('submission', `${target.host}:${target.port}`, greet)];
}

async function connect(): Promise<SmtpSubmitter | null> {
  const { smtpUrl } = env();
  if (smtpUrl === 'off') return null;
  if (smtpUrl) return counted(createSmtpSubmitter(smtpUrl));
  const sandbox = await startSandbox();
  const submitter = counted(createSmtpSubmitter(sandbox.smtpUrl));
  return {
    submit: submitter.submit,
    async close() {
      await submitter.close();
      await sandbox.close();
    },
  };
}

function counted({ submit, close }: SmtpSubmitter): SmtpSubmitter {
  const { submissions, submissionDuration } = metrics();
  return {
    close,
    async submit(submission) {
      const startedAt = performance.now();
      const result = await submit(submission);
      submissions.inc({ outcome: result.outcome === 'refused' ? result.cause : result.outcome });
      submissionDuration.observe((performance.now() - startedAt) / 1000);
      return result;
    },
  };
}

async function startSandbox(): Promise<SandboxMta> {
  const { dataDir, maxMessageSizeMb, sandboxSmtpPort } = env();
  const dir = path.join(dataDir, 'sandbox');
  const inboundDir = path.join(dir, 'inbound');
  const maxMessageBytes = maxMessageSizeMb * MB;
  const calls = mailServerCalls(database());
  const inboundCalls = {
    resolve: withLogging('resolve', calls.resolve),
    receive: withLogging('receive', calls.receive),
  };
  const onReport = withLogging('report', calls.onReport);
  // The app checks the size of what it submits, and the setting may change.
  const sandbox = await startSandboxMta({ dir, maxMessageBytes: MAX_SUBMITTED_BYTES, onReport, ...inboundCalls });
  try {
    const inbound = await startSandboxInbound({
      dir: inboundDir,
      maxMessageBytes,
      port: sandboxSmtpPort,
      isPortConfigured: Boolean(process.env.SANDBOX_SMTP_PORT),
      ...inboundCalls,
    });
    const cleanup = repeat('deleting old sandbox messages', CLEANUP_INTERVAL_MS, () => {
      const { sandboxRetentionDays, sandboxMaxSizeMb } = env();
      const limits = { maxAgeMs: sandboxRetentionDays * DAY_MS, maxBytes: sandboxMaxSizeMb * MB };
      return deleteOldMessages([dir, inboundDir], limits, systemClock.now());
    });
    cleanup.runNow();
    log.info({ dir }, 'sandbox: messages are stored here and none leaves this machine');
    log.info({ port: inbound.port }, 'sandbox: accepts mail for the managed domains by SMTP on 127.0.0.1');
    return {
      smtpUrl: sandbox.smtpUrl,
      async close() {
        await cleanup.end();
        await inbound.close();
        await sandbox.close();
      },
    };
  } catch (error) {
    await sandbox.close();
    throw isInUse(error) ? new Error(portInUse(sandboxSmtpPort)) : error;
  }
}

// The sandbox or the sender retries. This logs the reason.
function withLogging<Input, Output>(step: string, call: (input: Input) => Promise<Output>) {
  return async (input: Input): Promise<Output> => {
    try {
      return await call(input);
    } catch (error) {
      log.warn({ step, error }, 'sandbox: database call failed, retrying');
      throw error;
    }
  };
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function portInUse(port: number): string {
  return process.env.SANDBOX_SMTP_PORT
    ? `Port ${port} is in use. Stop the program that listens there, or set SANDBOX_SMTP_PORT to another port.`
    : `Port ${port} and the ports after it are in use. Set SANDBOX_SMTP_PORT to a free port.`;
}
