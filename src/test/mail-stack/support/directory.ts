import { randomBytes } from 'node:crypto';
import { hashPassword } from '@/server/secrets/password';
import { db } from './mail-server';

export const PASSWORD = 'a password of nobody else';
let passwordHash: Promise<string> | undefined;

/** Rows that a test stands on. Every domain is new, so that no test sees another's. */
export function makeDomain(over: { name?: string; active?: boolean } = {}) {
  return db.domain.create({ data: { name: `${newName()}.example`, ...over } });
}

export async function makeMailbox(
  domainId: string,
  localPart: string,
  over: { active?: boolean; suspendedAt?: Date; quotaBytes?: number } = {},
) {
  passwordHash ??= hashPassword(PASSWORD);
  return db.mailbox.create({ data: { domainId, localPart, passwordHash: await passwordHash, ...over } });
}

export function makeAlias(
  domainId: string,
  sourceLocalPart: string,
  destination: string,
  over: { active?: boolean } = {},
) {
  return db.alias.create({ data: { domainId, sourceLocalPart, destination, ...over } });
}

export function newName(): string {
  return `d${randomBytes(6).toString('hex')}`;
}
