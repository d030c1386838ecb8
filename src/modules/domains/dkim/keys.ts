import { generateKeyPair, type KeyObject, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { uuidv7 } from '@/lib/uuid';
import { seal } from '@/server/secrets/sealing';
import type { DkimAlgorithm, DkimStatus } from './schema';

export type DkimKeyPair = {
  algorithm: DkimAlgorithm;
  /** PEM, PKCS #8. */
  privateKey: string;
  /** The p= value of the DNS record. */
  publicKey: string;
};

const ED25519_KEY_BYTES = 32;
const SELECTOR_SUFFIX_LENGTH = 6;
// Leaves out characters that are easily confused.
const SELECTOR_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

const generate = promisify(generateKeyPair);
// RSA generation occupies a thread for 100 ms or more. The limit leaves threads of the pool to other work.
const generationLimit = pLimit(2);

/** Slow: call it outside a transaction. */
export function makeDkimKeyPair(algorithm: DkimAlgorithm): Promise<DkimKeyPair> {
  return generationLimit(() => (algorithm === 'rsa-2048' ? makeRsa() : makeEd25519()));
}

/** The DNS record of a key. */
export function dkimRecordValue({ algorithm, publicKey }: { algorithm: string; publicKey: string }): string {
  return `v=DKIM1; k=${algorithm === 'ed25519' ? 'ed25519' : 'rsa'}; p=${publicKey}`;
}

/** The columns of a new key, except its domain. */
export function dkimKeyRow(pair: DkimKeyPair, over: { selector?: string; status: DkimStatus; at: Date }) {
  const { selector = newSelector(over.at), status, at } = over;
  const id = uuidv7();
  return {
    id,
    selector,
    algorithm: pair.algorithm === 'rsa-2048' ? ('rsa_2048' as const) : pair.algorithm,
    status,
    privateKey: seal(dkimKeyBinding(id), pair.privateKey),
    publicKey: pair.publicKey,
    createdAt: at,
    activatedAt: status === 'active' ? at : null,
  };
}

/** The row and column that a sealed private key is bound to. */
export function dkimKeyBinding(id: string): string {
  return `dkim_key.private_key:${id}`;
}

async function makeRsa(): Promise<DkimKeyPair> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength: 2048 });
  return { algorithm: 'rsa-2048', privateKey: pem(privateKey), publicKey: spki(publicKey).toString('base64') };
}

/** The record holds the raw key without the SPKI structure (RFC 8463). */
async function makeEd25519(): Promise<DkimKeyPair> {
  const { privateKey, publicKey } = await generate('ed25519');
  const rawKey = spki(publicKey).subarray(-ED25519_KEY_BYTES);
  return { algorithm: 'ed25519', privateKey: pem(privateKey), publicKey: rawKey.toString('base64') };
}

function pem(privateKey: KeyObject): string {
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function spki(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

function newSelector(at: Date): string {
  const letters = Array.from(
    { length: SELECTOR_SUFFIX_LENGTH },
    () => SELECTOR_LETTERS[randomInt(SELECTOR_LETTERS.length)],
  );
  return `pr${at.toISOString().slice(0, 10).replaceAll('-', '')}${letters.join('')}`;
}
