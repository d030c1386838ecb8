import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { Redis } from 'ioredis';
import { dkimVerify } from 'mailauth';
import { afterAll } from 'vitest';
import { mailServer, portOf } from './mail-server';

const records = new Map<string, string>();

const redis = new Redis({
  port: portOf('REDIS_PORT'),
  password: mailServer.settings.REDIS_PASSWORD,
  retryStrategy: () => 100,
  maxRetriesPerRequest: null,
});
redis.on('error', () => {});
afterAll(() => redis.disconnect());

export { redis };

/** Gives the mail server a key, as the app does, and publishes its record to whoever verifies. */
export async function useKey(domain: string, selector: string, kind: 'rsa' | 'ed25519' = 'rsa'): Promise<void> {
  const { privateKey, publicKey } =
    kind === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519');
  records.set(`${selector}._domainkey.${domain}`, `v=DKIM1; k=${kind}; p=${publicPart(publicKey, kind)}`);
  await redis.hset('dkim_keys', `${selector}.${domain}`, privatePart(privateKey, kind));
  await redis.hset('dkim_selectors', domain, selector);
}

/** What a receiver makes of the signatures of a message, as "pass rsa-sha256 by selector.domain". */
export async function signaturesOf(raw: Buffer): Promise<string[]> {
  const { results } = await dkimVerify(raw, { resolver });
  return results.map((result) => {
    // mailauth's types give it another name.
    const { algo } = result as { algo?: string };
    return `${result.status.result} ${algo} by ${result.selector}.${result.signingDomain}`;
  });
}

async function resolver(name: string, type: string): Promise<string[][]> {
  const record = records.get(name);
  if (type === 'TXT' && record) return [[record]];
  throw Object.assign(new Error(`There is no ${type} record of ${name}.`), { code: 'ENOTFOUND' });
}

/** Rspamd reads PEM for RSA alone. For Ed25519 it wants libsodium's form: seed and public key, in base64. */
function privatePart(privateKey: KeyObject, kind: 'rsa' | 'ed25519'): string {
  if (kind === 'rsa') return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const { d, x } = privateKey.export({ format: 'jwk' });
  return Buffer.concat([d, x].map((part) => Buffer.from(String(part), 'base64url'))).toString('base64');
}

function publicPart(publicKey: KeyObject, kind: 'rsa' | 'ed25519'): string {
  if (kind === 'rsa') return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  return Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url').toString('base64');
}
