import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/argon2';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../errors';
import { hashWithArgon2id, isCommonPassword, opaque } from './password-rules.mjs';

// Hashing is limited so that a burst leaves a core for other requests, and new passwords can't delay sign-ins.
const comparing = pLimit(Math.min(2, Math.max(1, availableParallelism() - 1)));
const hashing = pLimit(1);
const MAX_WAITING = 100;

/**
 * @param field the field that an error names
 * @returns argon2id in PHC form
 * @throws VALIDATION_ERROR for a password from the list of common ones
 */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  if (isCommonPassword(password)) {
    throw new AppError('VALIDATION_ERROR', 'This password is too common.', {
      details: { fields: [{ path: field, message: 'This password is too common. Choose another.' }] },
    });
  }
  return pass(hashing, () => hashWithArgon2id(password));
}

/**
 * Does the same work with and without a hash, so that timing doesn't reveal which accounts exist. Older hashes are of a password
 * as it was typed, so both forms are compared where they differ.
 */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const matches: boolean[] = [];
  for (const form of new Set([opaque(password), password])) {
    matches.push(await pass(comparing, async () => verify(passwordHash ?? (await decoy()), form)));
  }
  return matches.includes(true) && passwordHash !== null;
}

async function pass<Result>(gate: LimitFunction, work: () => Promise<Result>): Promise<Result> {
  if (gate.pendingCount >= MAX_WAITING) {
    throw new AppError('SERVICE_UNAVAILABLE', 'Too many sign-ins at the moment. Try again shortly.', {
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
