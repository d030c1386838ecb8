import path from 'node:path';
import { startSandboxMta } from '@/mail/sandbox/start';
import { createSmtpSubmitter, type SmtpSubmitter } from '@/mail/submit';
import { env } from '@/server/env';
import { log } from '@/server/log';

const shared = globalThis as typeof globalThis & { postroomSubmitter?: Promise<SmtpSubmitter | null> };

/** The process's connection to its MTA, made on first use; null where sending is off. */
export function outboundMta(): Promise<SmtpSubmitter | null> {
  shared.postroomSubmitter ??= connect().catch((error) => {
    shared.postroomSubmitter = undefined;
    throw error;
  });
  return shared.postroomSubmitter;
}

async function connect(): Promise<SmtpSubmitter | null> {
  const { smtpUrl, dataDir, maxMessageSizeMb } = env();
  if (smtpUrl === 'off') return null;
  if (smtpUrl) return createSmtpSubmitter(smtpUrl);
  const dir = path.join(dataDir, 'sandbox');
  const sandbox = await startSandboxMta({ dir, maxMessageBytes: maxMessageSizeMb * 1024 * 1024 });
  log.info({ dir }, 'sandbox MTA: messages are kept here and nothing leaves this machine');
  return createSmtpSubmitter(sandbox.smtpUrl);
}
