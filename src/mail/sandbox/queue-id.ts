import { randomInt } from 'node:crypto';

/**
 * A queue id shaped as Postfix's long ones: time in microseconds, `z`, and a random part in place of the inode, so that
 * processes sharing a spool do not collide. Ids sort by time.
 */
export function newQueueId(at: Date = new Date()): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const micros = (at.getTime() % 1000) * 1000 + randomInt(1000);
  return `${inAlphabet(seconds, 52, 6)}${inAlphabet(micros, 52, 4)}z${inAlphabet(randomInt(51 ** 6), 51, 6)}`;
}

// No vowels, so that no word appears. Base 51 leaves out `z`, so that the last `z` separates (enable_long_queue_ids).
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
