import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { type Identity, type Recipient, Stanza } from 'age-encryption';

// As the age format has it. The library does the same in JavaScript, which keeps all requests waiting for a second.

const TYPE = 'scrypt';
const LABEL = 'age-encryption.org/v1/scrypt';
const BLOCK_SIZE = 8;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const BODY_BYTES = 32;
/** A key is used once. */
const NONCE = Buffer.alloc(12);
const CIPHER = 'chacha20-poly1305';
/** Takes 1 GB of memory. */
const MAX_WORK_FACTOR = 20;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** Encrypts for a passphrase, in 2 to the power of `workFactor` KB of memory. The age format allows no other recipient beside it. */
export function passphraseRecipient(passphrase: string, workFactor: number): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(SALT_BYTES);
      const key = await keyOf(passphrase, salt, workFactor);
      const cipher = createCipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES });
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()]);
      return [new Stanza([TYPE, withoutPadding(salt), String(workFactor)], body)];
    },
  };
}

/** Opens what was encrypted for a passphrase, by whatever program. */
export function passphraseIdentity(passphrase: string): Identity {
  return {
    async unwrapFileKey(stanzas) {
      const stanza = stanzas.find(({ args }) => args[0] === TYPE);
      if (!stanza) return null;
      // Otherwise the holder of another key could have replaced the content without knowing the passphrase.
      if (stanzas.length !== 1) throw new Error('the passphrase is not the only recipient');
      const { salt, workFactor } = read(stanza);
      const decipher = createDecipheriv(CIPHER, await keyOf(passphrase, salt, workFactor), NONCE, {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(stanza.body.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(stanza.body.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch {
        return null;
      }
    },
  };
}

function read({ args, body }: Stanza): { salt: Buffer; workFactor: number } {
  const [, saltText = '', factorText = '', ...others] = args;
  const salt = Buffer.from(saltText, 'base64');
  const isValid = others.length === 0 && salt.byteLength === SALT_BYTES && withoutPadding(salt) === saltText;
  if (!isValid || !/^[1-9]\d?$/.test(factorText) || body.byteLength !== BODY_BYTES)
    throw new Error('the entry of the passphrase is invalid');
  const workFactor = Number(factorText);
  if (workFactor > MAX_WORK_FACTOR) throw new Error('the work factor of the passphrase is too high');
  return { salt, workFactor };
}

function keyOf(passphrase: string, salt: Buffer, workFactor: number): Promise<Buffer> {
  const cost = 2 ** workFactor;
  const options = { N: cost, r: BLOCK_SIZE, p: 1, maxmem: 256 * cost * BLOCK_SIZE };
  return derive(passphrase, Buffer.concat([Buffer.from(LABEL), salt]), KEY_BYTES, options);
}

function withoutPadding(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
