import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Verdict } from '../inbound';
import type { Installation } from './installation';

/** What the mail server itself still has of a message. */
export type KeptCopies = {
  /** From its mailbox; null where it is not there, or not any more. Rejects while Dovecot cannot be asked. */
  fetch: (mailbox: string, queueId: string, part: 'hdr' | 'text') => Promise<Uint8Array | null>;
  /** From the filter's own log; null where it does not say, or not any more. */
  findVerdict: (queueId: string) => Promise<LoggedVerdict | null>;
};

export type LoggedVerdict = Verdict & { recipients: string[] };

const FETCH_TIMEOUT_MS = 60_000;
const MAX_COPY_BYTES = 256 * 1024 * 1024;
const LOG_TAIL_BYTES = 8 * 1024 * 1024;

const run = promisify(execFile);

export function createKeptCopies({ config, filterLog }: Pick<Installation, 'config' | 'filterLog'>): KeptCopies {
  const doveadm = async (...args: string[]) => {
    const { stdout } = await run('doveadm', ['-c', join(config, 'dovecot/dovecot.conf'), ...args], {
      encoding: 'buffer',
      timeout: FETCH_TIMEOUT_MS,
      maxBuffer: MAX_COPY_BYTES,
    });
    return stdout;
  };
  return {
    async fetch(mailbox, queueId, part) {
      // Postfix writes its queue id into the header; only copies of one message share one, as of a filter that files twice.
      const query = ['mailbox', '*', 'savedsince', '7days', 'header', 'Received', queueId];
      const found = String(await doveadm('search', '-u', mailbox, ...query));
      const [, folder, uid] = /^(\w+) (\d+)$/m.exec(found) ?? [];
      if (!folder || !uid) return null;
      return field(
        await doveadm('-f', 'pager', 'fetch', '-u', mailbox, part, 'mailbox-guid', folder, 'uid', uid),
        part,
      );
    },
    findVerdict: (queueId) => findVerdict(filterLog, queueId),
  };
}

/** "text:\n", the bytes, and a form feed at the end; null where it is gone. */
function field(output: Buffer, part: string): Uint8Array | null {
  const label = `${part}:\n`;
  if (!output.subarray(0, label.length).equals(Buffer.from(label))) return null;
  const end = output.lastIndexOf('\f');
  const body = output.subarray(label.length, end < 0 ? output.length : end);
  return new Uint8Array(body.at(-1) === NEWLINE ? body.subarray(0, -1) : body);
}

const NEWLINE = 0x0a;

async function findVerdict(filterLog: string, queueId: string): Promise<LoggedVerdict | null> {
  const line = (await tailOf(filterLog)).split('\n').findLast((text) => text.includes(`, qid: <${queueId}>, `));
  const [, action, score] = /\(default: \S+ \(([a-z ]+)\): \[(-?[\d.]+)\//.exec(line ?? '') ?? [];
  if (!line || !action || !score) return null;
  const [, recipients = ''] = /, rcpts: <([^>]*)>/.exec(line) ?? [];
  return { action, score: Number(score), recipients: recipients.split(',').filter(Boolean) };
}

async function tailOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const length = Math.min(size, LOG_TAIL_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8');
  } finally {
    await file.close();
  }
}
