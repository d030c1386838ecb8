import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { env } from '../settings/env';

export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

export function sha256(value: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(value).digest());
}

/** Returns `value.mac`. The MAC's key depends on the purpose, so a signature is valid for that purpose only. */
export function sign(purpose: string, value: string): string {
  return `${value}.${mac(purpose, value, currentKey())}`;
}

/** Verifies a result of {@link sign} with every key, those in SECRET_KEY by default, and returns its value, or null. */
export function unsign(purpose: string, signed: string, keys: readonly string[] = env().secretKeys): string | null {
  const dot = signed.lastIndexOf('.');
  if (dot < 1) return null;
  const value = signed.slice(0, dot);
  const given = signed.slice(dot + 1);
  return keys.some((key) => isSameSecret(given, mac(purpose, value, key))) ? value : null;
}

function currentKey(): string {
  return env().secretKeys[0] as string;
}

function mac(purpose: string, value: string, key: string): string {
  return createHmac('sha256', key).update(`${purpose}\0${value}`).digest('base64url');
}

/** The start of a MAC in hexadecimal digits, where a whole one has no room. 20 digits are 80 bits. */
export function shortMac(purpose: string, value: string, digits: number): string {
  return hexMac(purpose, value, currentKey(), digits);
}

/** Whether it is a result of {@link shortMac} with any key in SECRET_KEY. */
export function isShortMac(purpose: string, value: string, given: string): boolean {
  return env().secretKeys.some((key) => isSameSecret(given, hexMac(purpose, value, key, given.length)));
}

function hexMac(purpose: string, value: string, key: string, digits: number): string {
  return createHmac('sha256', key).update(`${purpose}\0${value}`).digest('hex').slice(0, digits);
}

/** Compares in constant time, whatever the lengths. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}
