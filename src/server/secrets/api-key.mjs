import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'service_';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * Creates a key whose last six characters are a checksum, so that a typo fails without a query.
 * @returns {{ key: string, prefix: string }}
 */
export function newApiKey() {
  const random = Array.from({ length: RANDOM_LENGTH }, randomBase62).join('');
  const key = `${PREFIX}${random}${checksum(random)}`;
  return { key, prefix: key.slice(0, PREFIX.length + 8) };
}

/** @param {string} text */
export function isApiKey(text) {
  if (!FORM.test(text)) return false;
  return checksum(text.slice(PREFIX.length, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** @returns {string} */
function randomBase62() {
  for (;;) {
    const value = randomBytes(1)[0] ?? 0;
    if (value < 248) return BASE62.charAt(value % 62);
  }
}

/** @param {string} text */
function checksum(text) {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
