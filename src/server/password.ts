import { hash, verify } from '@node-rs/argon2';
import { dictionary } from '@zxcvbn-ts/language-common';
import pLimit from 'p-limit';
import { MIN_PASSWORD_LENGTH } from '@/lib/password';
import { AppError } from './errors';

// argon2id as OWASP advises: 19 MiB, two passes. A small gate keeps a burst of logins from starving the rest.
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const gate = pLimit(2);
const MAX_WAITING = 100;

const COMMON_PASSWORDS = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= MIN_PASSWORD_LENGTH),
);

/**
 * @param field the field that a refusal names
 * @returns argon2id in PHC form
 * @throws VALIDATION_ERROR for a password from the list of common ones
 */
export async function hashPassword(password: string, field = 'password'): Promise<string> {
  if (COMMON_PASSWORDS.has(password.toLowerCase())) {
    throw new AppError('VALIDATION_ERROR', 'This password is on the list of common passwords.', {
      details: { fields: [{ path: field, message: 'This is one of the most common passwords. Choose another.' }] },
    });
  }
  return passGate(() => hash(password, PARAMETERS));
}

/** The same work whether or not there is a hash to compare with, so that time tells nothing of who exists. */
export async function isPassword(password: string, passwordHash: string | null): Promise<boolean> {
  const isMatch = await passGate(async () => verify(passwordHash ?? (await decoy()), password));
  return isMatch && passwordHash !== null;
}

async function passGate<Result>(work: () => Promise<Result>): Promise<Result> {
  if (gate.pendingCount >= MAX_WAITING) {
    throw new AppError('SERVICE_UNAVAILABLE', 'Too many people are signing in. Try again in a moment.', {
      headers: { 'Retry-After': '5' },
    });
  }
  return gate(work);
}

let decoyHash: Promise<string> | undefined;

function decoy(): Promise<string> {
  decoyHash ??= hash('no password matches this', PARAMETERS);
  return decoyHash;
}
