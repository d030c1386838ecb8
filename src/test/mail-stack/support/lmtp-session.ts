import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { mailServer } from './mail-server';
import { messageText } from './smtp-session';

/** A connection to Dovecot's LMTP, as Postfix opens it. */
export async function openLmtp() {
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
  const command = async (text: string) => {
    socket.write(`${text}\r\n`);
    const answer = await reply();
    if (!/^[23]/.test(answer)) throw new Error(`Dovecot rejected the command: ${answer}`);
  };
  await reply();
  await command('LHLO localhost');

  return async function deliver(to: string, body: string) {
    const from = 'someone@elsewhere.example';
    await command(`MAIL FROM:<${from}>`);
    await command(`RCPT TO:<${to}>`);
    await command('DATA');
    await command(`${messageText({ from, to, subject: 'Delivery', body }).replaceAll('\n', '\r\n')}\r\n.`);
  };
}

/** Counts the bytes that Dovecot's LMTP processes read and write with system calls while `work` runs. */
export async function bytesOfLmtp(work: () => Promise<void>): Promise<number> {
  const before = ioOfLmtp();
  await work();
  const after = ioOfLmtp();
  return [...after].reduce((sum, [pid, bytes]) => sum + bytes - (before.get(pid) ?? bytes), 0);
}

function ioOfLmtp(): Map<string, number> {
  const master = readFileSync(`${mailServer.data}/run/dovecot/master.pid`, 'utf8').trim();
  const children = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ');
  return new Map(
    children
      .filter((pid) => textOf(pid, 'comm') === 'lmtp\n')
      .map((pid) => {
        const [, read = 0, written = 0] = /^rchar: (\d+)\nwchar: (\d+)\n/.exec(textOf(pid, 'io')) ?? [];
        return [pid, Number(read) + Number(written)];
      }),
  );
}

/** Empty if the process has ended meanwhile, as idle ones do. */
function textOf(pid: string, file: 'comm' | 'io'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return '';
    throw error;
  }
}
