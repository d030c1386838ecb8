import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { PlainError } from '../process/plain-error.mjs';

const MAX_INPUT_LENGTH = 4_096;

/**
 * Asks twice at a terminal, without echo. Without a terminal, reads one line from standard input.
 * @param {{ input?: import('node:tty').ReadStream, prompts?: import('node:stream').Writable }} [terminal]
 * @returns {Promise<string>}
 */
export function readPassword({ input = process.stdin, prompts = process.stderr } = {}) {
  return input.isTTY ? askTwice(input, prompts) : readLine(input);
}

async function askTwice(input, prompts) {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const editor = createInterface({ input, output: silent, terminal: true, historySize: 0 });
  // In raw mode, Ctrl-C arrives as a character.
  editor.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const lines = editor[Symbol.asyncIterator]();
  const ask = async (question) => {
    prompts.write(question);
    const { value, done } = await lines.next();
    prompts.write('\n');
    if (done) throw new PlainError('No password was entered.');
    return value;
  };
  try {
    const password = await ask('New password: ');
    if ((await ask('Confirm password: ')) !== password) throw new PlainError('The passwords do not match.');
    return password;
  } finally {
    editor.close();
  }
}

async function readLine(input) {
  let text = '';
  for await (const chunk of input.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_INPUT_LENGTH) break;
  }
  const line = text.replace(/\r?\n$/, '');
  if (line === '') throw new PlainError('No password was entered.');
  if (/[\r\n]/.test(line)) throw new PlainError('The password must be a single line.');
  return line;
}
