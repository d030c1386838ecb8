import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';

/** As `sign` in src/server/secrets/crypto.ts. */
export function sign(purpose, value, key) {
  return `${value}.${createHmac('sha256', key).update(`${purpose}\0${value}`).digest('base64url')}`;
}

/** The keys in SECRET_KEY, or else the generated one in DATA_DIR. @param {string} missing what to do without one */
export async function findSecretKeys(missing) {
  const { readSettingsOfProcess } = await import('../../src/server/settings/settings.mjs');
  const { secretKeys, dataDir } = readSettingsOfProcess();
  if (secretKeys.length > 0) return secretKeys;
  const generated = join(dataDir, 'secret-key');
  if (!existsSync(generated)) throw new PlainError(missing);
  return [readFileSync(generated, 'utf8').trim()];
}
