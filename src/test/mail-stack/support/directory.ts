import { randomBytes } from 'node:crypto';
import { hashPassword } from '@/server/secrets/password';
import { db } from './mail-server';

export const PASSWORD = 'a password for test mailboxes';
let passwordHash: Promise<string> | undefined;

/** Creates a domain with a unique name, so that tests don't affect each other. */
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
