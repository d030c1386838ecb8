import { createPrivateKey } from 'node:crypto';
import type { ChainableCommander, Redis } from 'ioredis';

export type SigningKey = {
  /** Id of the row, because a domain that is deleted and created again may reuse a selector. */
  id: string;
  domain: string;
  /** Contains no dot. */
  selector: string;
};

export type DecryptedKey = SigningKey & {
  kind: 'rsa' | 'ed25519';
  /** PEM, PKCS 8. */
  privateKey: string;
};

/** All keys that the mail server should sign with. */
export type KeyState = { version: string; count: number };

export type DkimStore = ReturnType<typeof createDkimStore>;

// Hashes that Rspamd reads, see dkim_signing.conf.
const KEYS = 'dkim_keys';
const SELECTORS = 'dkim_selectors';
// Our own hashes: the row id of each key, and the state of all keys.
const IDS = 'postroom:dkim_ids';
const VERSION = 'postroom:dkim_version';

/** Stores the DKIM keys that the mail server signs with in its Redis. */
export function createDkimStore(redis: Redis) {
  async function isUpToDate({ version, count }: KeyState): Promise<boolean> {
    const [found, ...counts] = await run(redis.multi().get(VERSION).hlen(KEYS).hlen(SELECTORS).hlen(IDS));
    return found === version && counts.every((size) => size === count);
  }

  /** Ids of the keys that the mail server signs with. */
  async function signingKeyIds(): Promise<Set<string>> {
    const answers = await run(redis.multi().hgetall(IDS).hgetall(SELECTORS).hkeys(KEYS));
    const [ids, selectors, names] = answers as [Record<string, string>, Record<string, string>, string[]];
    const known = new Set(names);
    const inUse = Object.entries(selectors).map(([domain, selector]) => `${selector}.${domain}`);
    return new Set(inUse.flatMap((name) => (known.has(name) ? (ids[name] ?? []) : [])));
  }

  /** Sets the key of each domain; the next message is signed with it. */
  async function put(keys: DecryptedKey[]): Promise<void> {
    if (keys.length === 0) return;
    const change = redis.multi().del(VERSION);
    change.hset(KEYS, new Map(keys.map((key) => [nameOf(key), rspamdFormat(key)])));
    change.hset(IDS, new Map(keys.map((key) => [nameOf(key), key.id])));
    change.hset(SELECTORS, new Map(keys.map(({ domain, selector }) => [domain, selector])));
    await run(change);
  }

  /** Removes all other keys and stores the version of the complete state. */
  async function removeOthers(keys: SigningKey[], { version }: KeyState): Promise<void> {
    const domains = new Set(keys.map(({ domain }) => domain));
    const names = new Set(keys.map(nameOf));
    const change = redis.multi();
    for (const [hash, kept] of [
      [SELECTORS, domains],
      [KEYS, names],
      [IDS, names],
    ] as const) {
      const stale = (await redis.hkeys(hash)).filter((field) => !kept.has(field));
      if (stale.length > 0) change.hdel(hash, ...stale);
    }
    await run(change.set(VERSION, version));
  }

  return { isUpToDate, signingKeyIds, put, removeOthers };
}

function nameOf({ domain, selector }: SigningKey): string {
  return `${selector}.${domain}`;
}

/** Rspamd reads PEM for RSA only. For Ed25519 it needs libsodium's format: seed and public key in base64. */
function rspamdFormat({ kind, privateKey }: DecryptedKey): string {
  if (kind === 'rsa') return privateKey;
  const { d, x } = createPrivateKey(privateKey).export({ format: 'jwk' });
  return Buffer.concat([d, x].map((part) => Buffer.from(String(part), 'base64url'))).toString('base64');
}

async function run(commands: ChainableCommander): Promise<unknown[]> {
  const answers = (await commands.exec()) ?? [];
  return answers.map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
