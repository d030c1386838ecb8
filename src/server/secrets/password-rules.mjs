import { hash } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';

export const PASSWORD_LENGTH = Object.freeze({ min: 12, max: 256 });

// OWASP recommendation: 19 MB, two passes.
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const COMMON_PASSWORDS = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= PASSWORD_LENGTH.min),
);

/**
 * The same text for every way to type it (OpaqueString of RFC 8265): keyboards and programs differ in how they compose letters.
 * Dovecot compares the bytes that a mail program sends, which are mostly in this form.
 * @param {string} password
 */
export function opaque(password) {
  return password.replace(/\p{Zs}/gu, ' ').normalize('NFC');
}

/** @param {string} password */
export function isCommonPassword(password) {
  return COMMON_PASSWORDS.has(password.toLowerCase());
}

/**
 * @param {string} password
 * @returns {Promise<string>} argon2id in PHC form
 */
export function hashWithArgon2id(password) {
  return hash(opaque(password), PARAMETERS);
}
