import { execFileSync } from 'node:child_process';
import { afterAll } from 'vitest';
import { database } from '@/server/database/db';
import { startSmtpServer } from '../../servers/smtp-server';

type MailServer = {
  /** Folder with the configuration from configure.mjs. */
  config: string;
  /** Folder with the queue, mailboxes, logs and sockets. */
  data: string;
  settings: Record<string, string>;
};

if (!process.env.MAIL_SERVER) throw new Error('MAIL_SERVER is not set: run these tests with "npm run test:mail".');

/** The mail server that scripts/test-mail.mjs started. */
export const mailServer = JSON.parse(process.env.MAIL_SERVER) as MailServer;
export const db = database();

export function portOf(name: string): number {
  return Number(mailServer.settings[name]);
}

/** For commands that a test runs synchronously: meanwhile Vitest's own timeout can't end it. */
export const COMMAND_TIMEOUT_MS = 240_000;

/** Starts the server that receives all outbound mail. */
export async function startRemoteServer(options: Parameters<typeof startSmtpServer>[0] = {}) {
  const port = Number(mailServer.settings.RELAY_HOST?.split(':').pop());
  const remoteServer = await startSmtpServer({ ...options, port });
  afterAll(remoteServer.close);
  // After a refused connection, as between two test files, Postfix would wait for minutes.
  retryQueue();
  return remoteServer;
}

/** Makes Postfix try everything that waits in its queue. */
export function retryQueue(): void {
  execFileSync('postqueue', ['-c', `${mailServer.config}/postfix`, '-f'], { timeout: COMMAND_TIMEOUT_MS });
}
