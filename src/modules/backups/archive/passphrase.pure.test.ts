import {
  Decrypter,
  Encrypter,
  generateX25519Identity,
  identityToRecipient,
  type Recipient,
  Stanza,
} from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { passphraseIdentity, passphraseRecipient } from './passphrase';

const PASSPHRASE = 'paper boats on the cañal';
const WORK_FACTOR = 10;

function encrypt(...recipients: (string | Recipient)[]): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  return encrypter.encrypt('secret');
}

function decrypt(bytes: Uint8Array, passphrase = PASSPHRASE): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(passphraseIdentity(passphrase));
  return decrypter.decrypt(bytes, 'text');
}

describe('a passphrase', () => {
  it('opens what it has encrypted, and no other one does', async () => {
    const bytes = await encrypt(passphraseRecipient(PASSPHRASE, WORK_FACTOR));
    expect(await decrypt(bytes)).toBe('secret');
    await expect(decrypt(bytes, 'paper boats')).rejects.toThrow('no identity matched');
    expect(await encrypt(passphraseRecipient(PASSPHRASE, WORK_FACTOR))).not.toEqual(bytes);
  });

  it('opens with other programs what it has encrypted, and what they have', async () => {
    const decrypter = new Decrypter();
    decrypter.addPassphrase(PASSPHRASE);
    expect(await decrypter.decrypt(await encrypt(passphraseRecipient(PASSPHRASE, WORK_FACTOR)), 'text')).toBe('secret');
    const encrypter = new Encrypter();
    encrypter.setPassphrase(PASSPHRASE);
    encrypter.setScryptWorkFactor(WORK_FACTOR);
    expect(await decrypt(await encrypter.encrypt('secret'))).toBe('secret');
  });

  it('does not match what was encrypted for a key', async () => {
    const bytes = await encrypt(await identityToRecipient(await generateX25519Identity()));
    await expect(decrypt(bytes)).rejects.toThrow('no identity matched');
  });

  it('is refused beside other recipients', async () => {
    const key = await identityToRecipient(await generateX25519Identity());
    const bytes = await encrypt(passphraseRecipient(PASSPHRASE, WORK_FACTOR), key);
    await expect(decrypt(bytes)).rejects.toThrow('not the only recipient');
  });

  it.each([
    [['scrypt', 'c2hvcnQ', '10'], 32, 'is invalid'],
    [['scrypt', 'AAAAAAAAAAAAAAAAAAAAAA==', '10'], 32, 'is invalid'],
    [['scrypt', 'AAAAAAAAAAAAAAAAAAAAAA', '010'], 32, 'is invalid'],
    [['scrypt', 'AAAAAAAAAAAAAAAAAAAAAA'], 32, 'is invalid'],
    [['scrypt', 'AAAAAAAAAAAAAAAAAAAAAA', '10', 'x'], 32, 'is invalid'],
    [['scrypt', 'AAAAAAAAAAAAAAAAAAAAAA', '10'], 31, 'is invalid'],
    [['scrypt', 'AAAAAAAAAAAAAAAAAAAAAA', '21'], 32, 'is too high'],
  ])('refuses the entry %j with %i bytes', async (args, length, problem) => {
    const stanza = new Stanza(args, new Uint8Array(length));
    await expect(passphraseIdentity(PASSPHRASE).unwrapFileKey([stanza])).rejects.toThrow(problem);
  });
});
