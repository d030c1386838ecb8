import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFilterLog, type FilterLog } from '../log/filter-log';
import type { Installation } from './installation';

/** Reads the copies of a message that the mail server still has. */
export type MessageCopies = FilterLog & {
  /** Reads a message from its mailbox; null if it is not there. Rejects while Dovecot is unavailable. */
  fetch: (mailbox: string, queueId: string, part: 'hdr' | 'text') => Promise<Uint8Array | null>;
};

const FETCH_TIMEOUT_MS = 60_000;
const MAX_COPY_BYTES = 256 * 1024 * 1024;

const run = promisify(execFile);

export function createMessageCopies({ config, filterLog }: Pick<Installation, 'config' | 'filterLog'>): MessageCopies {
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
      // Postfix writes its queue id into the header. Several matches are copies of one message, filed twice by a filter.
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

/** Parses "text:\n", the bytes, and a final form feed; null if the message is gone. */
function field(output: Buffer, part: string): Uint8Array | null {
  const label = `${part}:\n`;
  if (!output.subarray(0, label.length).equals(Buffer.from(label))) return null;
  const end = output.lastIndexOf('\f');
  const body = output.subarray(label.length, end < 0 ? output.length : end);
  return new Uint8Array(body.at(-1) === NEWLINE ? body.subarray(0, -1) : body);
}

const NEWLINE = 0x0a;
