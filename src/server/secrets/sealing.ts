import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { env } from '../settings/env';

const ALGORITHM = 'aes-256-gcm';
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const OVERHEAD_BYTES = KEY_ID_BYTES + NONCE_BYTES + TAG_BYTES;

type Sealed = Uint8Array<ArrayBuffer>;

/**
 * Encrypts a secret for storage, with AES-256-GCM under the first key of SECRET_KEY.
 * @param place row and column that the result is bound to, such as `admin.totp_secret:<id>`
 * @returns key id (4 bytes), nonce (12), ciphertext, tag (16)
 */
export function seal(place: string, text: string): Sealed {
  return sealBytes(place, [Buffer.from(text, 'utf8')]);
}

/** As {@link seal}, for bytes in pieces. */
export function sealBytes(place: string, pieces: readonly Uint8Array[]): Sealed {
  const key = sealingKeys()[0] as SealingKey;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key.bytes, nonce).setAAD(Buffer.from(place));
  const sealed = new Uint8Array(OVERHEAD_BYTES + pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  const add = (bytes: Uint8Array) => {
    sealed.set(bytes, at);
    at += bytes.byteLength;
  };
  add(key.id);
  add(nonce);
  for (const piece of pieces) add(cipher.update(piece));
  add(cipher.final());
  add(cipher.getAuthTag());
  return sealed;
}

/** @throws if no key in SECRET_KEY opens it, or it was moved or altered */
export function unseal(place: string, sealed: Uint8Array, formerKeys: readonly string[] = []): string {
  return unsealBytes(place, sealed, formerKeys).toString('utf8');
}

/** @throws as {@link unseal} does */
export function unsealBytes(place: string, sealed: Uint8Array, formerKeys: readonly string[] = []): Buffer {
  const key = keyOf(sealed, formerKeys);
  if (!key) throw new Error(`${place} is sealed with a key that is not in SECRET_KEY`);
  return openWith(key, place, sealed);
}

function openWith(key: SealingKey, place: string, sealed: Uint8Array): Buffer {
  const nonce = sealed.subarray(KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES);
  const body = sealed.subarray(KEY_ID_BYTES + NONCE_BYTES, sealed.byteLength - TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce).setAAD(Buffer.from(place));
  decipher.setAuthTag(sealed.subarray(sealed.byteLength - TAG_BYTES));
  return Buffer.concat([decipher.update(body), decipher.final()]);
}

/** Whether a key in SECRET_KEY has sealed it, so that failing to open it means that it was altered. */
export function hasSealingKey(sealed: Uint8Array): boolean {
  return keyOf(sealed) !== undefined;
}

/** Null if it can't be opened. */
export function tryToUnseal(place: string, sealed: Uint8Array, formerKeys: readonly string[] = []): string | null {
  try {
    return unseal(place, sealed, formerKeys);
  } catch {
    return null;
  }
}

/** Whether one of these keys opens it, whatever is in SECRET_KEY. */
export function isOpenedBy(secretKeys: readonly string[], place: string, sealed: Uint8Array): boolean {
  const id = Buffer.from(sealed.subarray(0, KEY_ID_BYTES));
  const key = secretKeys.map(derive).find((candidate) => candidate.id.equals(id));
  try {
    if (key) openWith(key, place, sealed);
    return key !== undefined;
  } catch {
    return false;
  }
}

/** The first bytes of everything sealed with the current key; other values are due for re-encryption. */
export function currentSealingKeyId(): Uint8Array<ArrayBuffer> {
  return new Uint8Array((sealingKeys()[0] as SealingKey).id);
}

type SealingKey = { id: Buffer; bytes: Uint8Array };

function keyOf(sealed: Uint8Array, formerKeys: readonly string[] = []): SealingKey | undefined {
  const id = Buffer.from(sealed.subarray(0, KEY_ID_BYTES));
  return [...sealingKeys(), ...formerKeys.map(derive)].find((candidate) => candidate.id.equals(id));
}

let derived: { from: readonly string[]; keys: SealingKey[] } | undefined;

function sealingKeys(): SealingKey[] {
  const { secretKeys } = env();
  if (derived?.from !== secretKeys) derived = { from: secretKeys, keys: secretKeys.map(derive) };
  return derived.keys;
}

function derive(secretKey: string): SealingKey {
  const bytes = new Uint8Array(hkdfSync('sha256', secretKey, '', 'postroom sealing', 32));
  return { id: createHash('sha256').update(bytes).digest().subarray(0, KEY_ID_BYTES), bytes };
}
