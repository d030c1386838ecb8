import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { env } from '../settings/env';

export function randomToken(bytes = 32): string {
  return randomBytes(bytes).toString('base64url');
}

export function sha256(value: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(value).digest());
}

/** `value.mac`, keyed for one purpose, so that a signature made for one thing is worth nothing for another. */
export function sign(purpose: string, value: string): string {
  return `${value}.${mac(purpose, value, currentKey())}`;
}

/** The value inside a signature made by {@link sign} with any key still listed in SECRET_KEY, or null. */
export function unsign(purpose: string, signed: string): string | null {
  const dot = signed.lastIndexOf('.');
  if (dot < 1) return null;
  const value = signed.slice(0, dot);
  const given = signed.slice(dot + 1);
  return env().secretKeys.some((key) => isSameSecret(given, mac(purpose, value, key))) ? value : null;
}

/** A token that every instance derives alike, valid as long as the key is listed in SECRET_KEY. */
export function derivedToken(purpose: string): string {
  return mac(purpose, '', currentKey());
}

export function isDerivedToken(purpose: string, token: string): boolean {
  return env().secretKeys.some((key) => isSameSecret(token, mac(purpose, '', key)));
}

function currentKey(): string {
  return env().secretKeys[0] as string;
}

function mac(purpose: string, value: string, key: string): string {
  return createHmac('sha256', key).update(`${purpose}\0${value}`).digest('base64url');
}

/** In constant time, whatever the lengths. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b));
}
