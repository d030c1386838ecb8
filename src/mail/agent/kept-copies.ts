import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Installation } from './installation';
import { createFilterLog, type FilterLog } from './logs/filter-log';

/** What the mail server itself still has of a message. */
export type KeptCopies = FilterLog & {
  /** From its mailbox; null where it is not there, or not any more. Rejects while Dovecot cannot be asked. */
  fetch: (mailbox: string, queueId: string, part: 'hdr' | 'text') => Promise<Uint8Array | null>;
};

const FETCH_TIMEOUT_MS = 60_000;
const MAX_COPY_BYTES = 256 * 1024 * 1024;

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
    ...createFilterLog(filterLog),
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
