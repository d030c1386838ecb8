import { verify } from '@node-rs/argon2';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../errors';
import { hashWithArgon2id, isCommonPassword } from './password-rules.mjs';

// Small gates keep a burst of them from starving the rest, and new passwords from keeping people from signing in.
const comparing = pLimit(2);
const hashing = pLimit(1);
const MAX_WAITING = 100;

/**
 * @param field the field that a refusal names
 * @returns argon2id in PHC form
 * @throws VALIDATION_ERROR for a password from the list of common ones
 */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  if (isCommonPassword(password)) {
    throw new AppError('VALIDATION_ERROR', 'This password is on the list of common passwords.', {
      details: { fields: [{ path: field, message: 'This is one of the most common passwords. Choose another.' }] },
    });
  }
  return pass(hashing, () => hashWithArgon2id(password));
}

/** The same work whether or not there is a hash to compare with, so that time tells nothing of who exists. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const isMatch = await pass(comparing, async () => verify(passwordHash ?? (await decoy()), password));
  return isMatch && passwordHash !== null;
}

async function pass<Result>(gate: LimitFunction, work: () => Promise<Result>): Promise<Result> {
  if (gate.pendingCount >= MAX_WAITING) {
    throw new AppError('SERVICE_UNAVAILABLE', 'Too many passwords are being checked. Try again in a moment.', {
      headers: { 'Retry-After': '5' },
    });
  }
  return gate(work);
}

let decoyHash: Promise<string> | undefined;

function decoy(): Promise<string> {
  decoyHash ??= hashWithArgon2id('no password matches this');
  return decoyHash;
}
