import { randomInt } from 'node:crypto';

/**
 * A queue id in Postfix's long format: time in microseconds, `z`, and a random part instead of the inode, so that processes
 * that share a spool don't collide. Ids sort by time.
 */
export function newQueueId(at: Date = new Date()): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const micros = (at.getTime() % 1000) * 1000 + randomInt(1000);
  return `${inAlphabet(seconds, 52, 6)}${inAlphabet(micros, 52, 4)}z${inAlphabet(randomInt(51 ** 6), 51, 6)}`;
}

// Without vowels, so that no words appear. Base 51 has no `z`, so the last `z` is the separator (enable_long_queue_ids).
const ALPHABET = '0123456789BCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz';

function inAlphabet(value: number, base: number, width: number): string {
  let rest = value;
  let text = '';
  for (let place = 0; place < width; place += 1) {
    text = `${ALPHABET[rest % base]}${text}`;
    rest = Math.floor(rest / base);
  }
  return text;
}
