import { Redis } from 'ioredis';
import { dkimVerify } from 'mailauth';
import { createDkimStore } from '@/mail/agent/dkim-store';
import { publishDkimKeys } from '@/modules/domains/dkim/publish';
import type { DkimAlgorithm, DkimKey } from '@/modules/domains/dkim/schema';
import { callApp } from './app';
import { db, mailServer, portOf } from './mail-server';

const records = new Map<string, string>();

const redis = new Redis({
  port: portOf('REDIS_PORT'),
  password: mailServer.settings.REDIS_PASSWORD,
  retryStrategy: () => 100,
  maxRetriesPerRequest: null,
});
redis.on('error', () => {});

export { redis };

/** Publishes the DKIM keys like the agent does. */
export function publishKeys(): Promise<void> {
  return publishDkimKeys(db, createDkimStore(redis));
}

/** Makes the key's DNS record available to `signaturesOf`. */
export function publishRecord({ dns_record: { name, value } }: DkimKey): void {
  records.set(name, value);
}

/** Creates a key for the domain, publishes its record and activates it in the mail server. */
export async function activateKey(
  name: string,
  selector: string,
  algorithm: DkimAlgorithm = 'rsa-2048',
): Promise<void> {
  const { id } = await db.domain.findUniqueOrThrow({ where: { name } });
  const app = await callApp();
  publishRecord(await app.domains.rotateDkim({ id, selector, algorithm }));
  await app.domains.activateDkim({ id, selector });
  await publishKeys();
}

/** Verifies the signatures of a message. @returns results like "pass rsa-sha256 by selector.domain" */
export async function signaturesOf(raw: Buffer): Promise<string[]> {
  const { results } = await dkimVerify(raw, { resolver });
  return results.map((result) => {
    // mailauth's types have another name for it.
    const { algo } = result as { algo?: string };
    return `${result.status.result} ${algo} by ${result.selector}.${result.signingDomain}`;
  });
}

async function resolver(name: string, type: string): Promise<string[][]> {
  const record = records.get(name);
  if (type === 'TXT' && record) return [[record]];
  throw Object.assign(new Error(`There is no ${type} record for ${name}.`), { code: 'ENOTFOUND' });
}
