import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { mailServer } from './mail-server';
import { childrenOf, readProc } from './processes';
import { messageText } from './smtp-session';

const SENDER = 'someone@elsewhere.example';

/** Connects to Dovecot's LMTP, as Postfix does. @returns a function that sends a command and returns the reply */
async function connectToLmtp() {
  const socket = connect(`${mailServer.data}/run/dovecot/lmtp`);
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const reply = async () => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('Dovecot closed the connection.');
      if (!/^\d{3}-/.test(value)) return value;
    }
  };
  const command = (text: string): Promise<string> => {
    socket.write(`${text}\r\n`);
    return reply();
  };
  await reply();
  await command('LHLO localhost');
  return command;
}

/** @returns a function that delivers a message */
export async function openLmtp() {
  const command = await connectToLmtp();
  const succeed = async (text: string) => {
    const answer = await command(text);
    if (!/^[23]/.test(answer)) throw new Error(`Dovecot rejected the command: ${answer}`);
  };

  return async function deliver(to: string, body: string) {
    await succeed(`MAIL FROM:<${SENDER}>`);
    await succeed(`RCPT TO:<${to}>`);
    await succeed('DATA');
    const text = messageText({ from: SENDER, to, subject: 'Delivery', body });
    await succeed(`${text.replaceAll('\n', '\r\n')}\r\n.`);
  };
}

/** The reply to RCPT TO. */
export async function lmtpRecipient(to: string): Promise<string> {
  const command = await connectToLmtp();
  await command(`MAIL FROM:<${SENDER}>`);
  return command(`RCPT TO:<${to}>`);
}

/** Counts the bytes that Dovecot's LMTP processes read and write with system calls while `work` runs. */
export async function bytesOfLmtp(work: () => Promise<void>): Promise<number> {
  const before = ioOfLmtp();
  await work();
  const after = ioOfLmtp();
  return [...after].reduce((sum, [pid, bytes]) => sum + bytes - (before.get(pid) ?? bytes), 0);
}

function ioOfLmtp(): Map<number, number> {
  const master = Number(readFileSync(`${mailServer.data}/run/dovecot/master.pid`, 'utf8'));
  return new Map(
    childrenOf(master)
      .filter((pid) => readProc(pid, 'comm') === 'lmtp\n')
      .map((pid) => {
        const [, read = 0, written = 0] = /^rchar: (\d+)\nwchar: (\d+)\n/.exec(readProc(pid, 'io')) ?? [];
        return [pid, Number(read) + Number(written)];
      }),
  );
}
