import { availableParallelism } from 'node:os';
import { verify } from '@node-rs/argon2';
import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../errors';
import { wideNetworkOf } from '../http/client-address';
import { hashWithArgon2id, isCommonPassword, opaque } from './password-rules.mjs';

// Hashing is limited so that a burst leaves a core for other requests, and new passwords can't delay sign-ins.
const comparing = pLimit(Math.min(2, Math.max(1, availableParallelism() - 1)));
const comparingKnown = pLimit(1);
const hashing = pLimit(1);
const MAX_WAITING = 100;
/** How many comparisons of one network wait or run, so that a few networks can't take all places. */
const MAX_OF_NETWORK = 10;
const ofNetworks = new Map<string, number>();

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
 * @param stranger the client's IP address; null for somebody signed in and for a known browser, who don't wait for strangers
 * @throws SERVICE_UNAVAILABLE while too many comparisons wait
 */
export function isPassword(
  password: string,
  passwordHash: string | null,
  stranger: string | null = null,
): Promise<boolean> {
  const compare = async () => {
    const matches: boolean[] = [];
    for (const form of new Set([opaque(password), password])) {
      matches.push(await verify(passwordHash ?? (await decoy()), form));
    }
    return matches.includes(true) && passwordHash !== null;
  };
  return stranger === null ? pass(comparingKnown, compare) : passFrom(wideNetworkOf(stranger), compare);
}

async function passFrom<Result>(network: string, work: () => Promise<Result>): Promise<Result> {
  const count = ofNetworks.get(network) ?? 0;
  if (count >= MAX_OF_NETWORK) throw tooMany();
  ofNetworks.set(network, count + 1);
  try {
    return await pass(comparing, work);
  } finally {
    const left = (ofNetworks.get(network) ?? 1) - 1;
    if (left > 0) ofNetworks.set(network, left);
    else ofNetworks.delete(network);
  }
}

async function pass<Result>(gate: LimitFunction, work: () => Promise<Result>): Promise<Result> {
  if (gate.pendingCount >= MAX_WAITING) throw tooMany();
  return gate(work);
}

function tooMany(): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'Too many sign-ins at the moment. Try again shortly.', {
    headers: { 'Retry-After': '5' },
  });
}

let decoyHash: Promise<string> | undefined;

function decoy(): Promise<string> {
  decoyHash ??= hashWithArgon2id('no password matches this');
  return decoyHash;
}
