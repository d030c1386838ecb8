import path from 'node:path';
import { type Finding, probed } from '@/lib/health/finding';
import { type SandboxMta, startSandboxMta } from '@/mail/sandbox/start';
import { openSession } from '@/mail/submission/smtp-session';
import { parseSmtpUrl } from '@/mail/submission/smtp-url';
import { createSmtpSubmitter, type SmtpSubmitter } from '@/mail/submission/submit';
import { mailServerCalls } from '@/modules/messages/service';
import { database } from '@/server/database/db';
import { log } from '@/server/log';
import { metrics } from '@/server/metrics/metrics';
import { processWide } from '@/server/process-wide';
import { env } from '@/server/settings/env';

const MB = 1024 * 1024;
/** Above the largest MAX_MESSAGE_SIZE_MB. */
const MAX_SUBMITTED_BYTES = 101 * MB;
const CHECK_TIMEOUT_MS = 5_000;

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
export async function checkSubmission(): Promise<Finding[]> {
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
  const { onReport, ...calls } = sandboxCalls();
  const dir = sandboxFolder();
  // The app checks the size of what it submits, and the setting may change.
  const sandbox = await startSandboxMta({ dir, maxMessageBytes: MAX_SUBMITTED_BYTES, onReport, ...calls });
  log.info({ dir }, 'sandbox: messages are stored here and none leaves this machine');
  return sandbox;
}

/** The port where API keys can send to the sandbox of this process; undefined where it has none. */
export const sandboxPort = processWide<number>('sandbox smtp port');

/** Where the sandbox stores what is sent. */
export function sandboxFolder(): string {
  return path.join(env().dataDir, 'sandbox');
}

/** Returns the calls that the sandbox makes to the app. If one fails, the reason is logged, and the sandbox or the sender retries. */
export function sandboxCalls() {
  const { resolve, receive, onReport } = mailServerCalls(database());
  return {
    resolve: withLogging('resolve', resolve),
    receive: withLogging('receive', receive),
    onReport: withLogging('report', onReport),
  };
}

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
