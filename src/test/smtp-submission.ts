import { onTestFinished } from 'vitest';
import { createSmtpSubmitter, type SmtpSubmitter, type SubmitTimeouts } from '@/mail/submission/submit';
import { type SmtpScript, startRawSmtpServer } from '@/test/servers/raw-smtp-server';

export const LONG_TIMEOUTS: SubmitTimeouts = { setupMs: 10_000, stallMs: 10_000, replyMs: 10_000, idleMs: 10_000 };
export const SHORT_TIMEOUTS: Partial<SubmitTimeouts> = { setupMs: 250, stallMs: 250, replyMs: 250 };
export const envelope = { from: 'ann@example.com', to: ['bob@example.org'] };
export const small = Buffer.from('Subject: hi\r\n\r\n.\r\n..\r\n.foo\r\nbye\r\n');
/** Larger than the socket buffers, so that the client notices a stall. */
export const large = linesOf(40 * 1024 * 1024);

/** Closes servers and submitters when the test ends, the last one first. */
export function closeAfterTest(...closers: (() => Promise<void>)[]): void {
  for (const close of closers) onTestFinished(close);
}

export async function rawServer(
  script?: SmtpScript,
  options?: Parameters<typeof startRawSmtpServer>[1],
  timeouts?: Partial<SubmitTimeouts>,
) {
  const server = await startRawSmtpServer(script, options);
  closeAfterTest(server.close);
  return { server, submitter: submitterFor(server.url, timeouts) };
}

export function submitterFor(url: string, timeouts?: Partial<SubmitTimeouts>): SmtpSubmitter {
  const submitter = createSmtpSubmitter(url, { timeouts: { ...LONG_TIMEOUTS, ...timeouts } });
  closeAfterTest(submitter.close);
  return submitter;
}

export function linesOf(bytes: number): Buffer {
  const line = `${'x'.repeat(74)}\r\n`;
  return Buffer.alloc(Math.floor(bytes / line.length) * line.length, line);
}

/** Long enough for a second attempt to be noticed. */
export function pause() {
  return new Promise((resolve) => setTimeout(resolve, 60));
}
