import { execFileSync } from 'node:child_process';
import { afterAll } from 'vitest';
import { database } from '@/server/db';
import { startSmtpServer } from '../../servers/smtp-server';

type MailServer = {
  /** What configure.mjs wrote. */
  config: string;
  /** Queue, mailboxes, logs and sockets. */
  data: string;
  settings: Record<string, string>;
};

if (!process.env.MAIL_SERVER) throw new Error('There is no mail server: run these tests with "npm run test:mail".');

/** The one that scripts/test-mail.mjs started. */
export const mailServer = JSON.parse(process.env.MAIL_SERVER) as MailServer;
export const db = database();
afterAll(() => db.$disconnect());

export function portOf(name: string): number {
  return Number(mailServer.settings[name]);
}

/** Where everything that leaves the mail server arrives. */
export async function startRemoteServer(options: Parameters<typeof startSmtpServer>[0] = {}) {
  const port = Number(mailServer.settings.RELAY_HOST?.split(':').pop());
  const remoteServer = await startSmtpServer({ ...options, port });
  afterAll(remoteServer.close);
  // Postfix does not try again for minutes where nobody answered, as between two files.
  execFileSync('postqueue', ['-c', `${mailServer.config}/postfix`, '-f']);
  return remoteServer;
}
