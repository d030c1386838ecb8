import { onTestFinished } from 'vitest';
import { portOf } from './mail-server';
import { openWire } from './wire';

export type SmtpSession = Awaited<ReturnType<typeof openSmtp>>;

/** An SMTP session on the port for inbound mail, open until `quit` or the end of the test. */
export function openInbound() {
  return openSmtp('SMTP_PORT');
}

/** An authenticated submission session over TLS. */
export async function openSubmission(user: string, password: string) {
  const session = await openSmtp('SUBMISSIONS_PORT');
  const reply = await session.signIn(user, password);
  if (!reply.startsWith('235 ')) throw new Error(`${user} can't sign in: ${reply}`);
  return session;
}

export async function openSmtp(portName: 'SMTP_PORT' | 'SUBMISSION_PORT' | 'SUBMISSIONS_PORT', from?: string) {
  const wire = await openWire(portOf(portName), portName === 'SUBMISSIONS_PORT', from);
  onTestFinished(wire.close);
  const reply = async () => (await wire.readUntil(/^\d{3} .*\r\n/m)).trim();
  const command = (line: string) => {
    wire.write(`${line}\r\n`);
    return reply();
  };
  await reply();
  const greeting = await command('EHLO client.example');

  /** The reply to RCPT TO. RSET allows any number of calls per session. */
  const recipient = async (to: string, from = 'someone@elsewhere.example') => {
    await command('RSET');
    const answer = await command(`MAIL FROM:<${from}>`);
    return answer.startsWith('250') ? command(`RCPT TO:<${to}>`) : answer;
  };
  const message = async (text: string) => {
    await command('DATA');
    return command(`${text.replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..')}\r\n.`);
  };
  const send = async (from: string, to: string[], text: string) => {
    await command('RSET');
    for (const line of [`MAIL FROM:<${from}>`, ...to.map((address) => `RCPT TO:<${address}>`)]) {
      const answer = await command(line);
      if (!answer.startsWith('250')) return answer;
    }
    return message(text);
  };
  const signIn = (user: string, password: string) =>
    command(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`);
  const startTls = async () => {
    const answer = await command('STARTTLS');
    await wire.startTls();
    await command('EHLO client.example');
    return answer;
  };
  const quit = () => {
    wire.write('QUIT\r\n');
    wire.close();
  };
  return { greeting, command, recipient, send, signIn, startTls, quit };
}

export function messageText(fields: { from: string; to: string; subject: string; body?: string }): string {
  const { from, to, subject, body = 'Good morning.' } = fields;
  return [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, '', body].join('\n');
}
