import pLimit from 'p-limit';
import type { Role } from '@/lib/access/roles';
import { uuidv7 } from '@/lib/uuid';
import { dkimKeyRow, makeDkimKeyPair } from '@/modules/domains/dkim/keys';
import type { Prisma } from '@/server/prisma/client';
import { newApiKey } from '@/server/secrets/api-key.mjs';
import { newSessionSecret, SESSION_COOKIE } from '@/server/secrets/credentials';
import { sha256 } from '@/server/secrets/crypto';
import { seal } from '@/server/secrets/sealing';
import { db } from './database';

const HOUR_MS = 3_600_000;

/** Creates a domain with a unique name, so that tests don't affect each other. */
export function makeDomain(over: { name?: string; active?: boolean } = {}) {
  return db.domain.create({ data: { name: `d${unique()}.example`, ...over } });
}

/** Creates an Ed25519 key, which is faster than RSA. */
export async function makeDkimKey(
  domainId: string,
  over: { selector?: string; status?: 'pending' | 'active' | 'retired'; at?: Date } = {},
) {
  const { selector, status = 'active', at = new Date() } = over;
  const row = dkimKeyRow(await makeDkimKeyPair('ed25519'), { selector, status, at });
  if (status === 'active') {
    await db.domain.update({ where: { id: domainId }, data: { dkimSelector: row.selector } });
  }
  return db.dkimKey.create({ data: { ...row, domainId } });
}

export function makeMailbox(
  domainId: string,
  localPart: string,
  over: { active?: boolean; suspendedAt?: Date; passwordHash?: string; createdAt?: Date } = {},
) {
  return db.mailbox.create({ data: { domainId, localPart, passwordHash: 'x', ...over } });
}

export function makeAlias(
  domainId: string,
  sourceLocalPart: string,
  destination: string,
  over: { active?: boolean } = {},
) {
  return db.alias.create({ data: { domainId, sourceLocalPart, destination, ...over } });
}

/** Makes an outbound message a scheduled one, which leaves in an hour. */
export async function makeScheduled(messageId: string, over: { nextAttemptAt?: Date | null } = {}) {
  const sendAt = new Date(Date.now() + 3_600_000);
  await db.message.update({ where: { id: messageId }, data: { status: 'scheduled', sendAt } });
  const { id: adminId } = await makeAdmin();
  const data = { messageId, adminId, isTransactional: false, rawBytes: 1, nextAttemptAt: sendAt, ...over };
  return db.scheduledMessage.create({ data });
}

const VARIABLES = [{ name: 'place', type: 'string', required: false, default: 'here' }];

/** Creates a template whose first version is published. */
export function makeTemplate(domainId: string, name = unique()) {
  const content = { subject: 'Matrix', textBody: 'Hi', variables: VARIABLES, digest: 'x' };
  const version = { ...content, number: 1, publishedByEmail: 'ops@a.example' };
  const published = { publishedVersion: 1, publishedDigest: 'y', publishedAt: new Date() };
  return db.template.create({ data: { ...content, ...published, domainId, name, versions: { create: version } } });
}

export function makeSuppression(
  domainId: string | null,
  email: string,
  over: Partial<Prisma.SuppressionUncheckedCreateInput> = {},
) {
  return db.suppression.create({ data: { domainId, email, reason: 'manual', ...over } });
}

export function makeAdmin(over: { role?: Role; domainIds?: string[]; email?: string; passwordHash?: string } = {}) {
  const { role = 'super_admin', domainIds = [], email = `a${unique()}@admins.example`, passwordHash } = over;
  const domains = { create: domainIds.map((domainId) => ({ domainId })) };
  return db.admin.create({ data: { email, role, passwordHash, domains } });
}

/** An admin with an identity of the provider `corp`. @returns them with the identity's subject and the claims to sign in */
export async function makeLinkedAdmin(issuer: string, over: { totpEnabled?: boolean } = {}) {
  const admin = await makeAdmin({ role: 'admin' });
  const subject = unique();
  await db.oidcIdentity.create({ data: { adminId: admin.id, providerId: 'corp', issuer, subject } });
  if (over.totpEnabled) await db.admin.update({ where: { id: admin.id }, data: { totpEnabled: true } });
  return { admin, subject, as: { claims: { sub: subject } } };
}

/** Creates a session. @returns its row and the Cookie header */
export async function makeSession(adminId: string, over: { expiresAt?: Date } = {}) {
  const { secret, cookieValue } = newSessionSecret();
  const expiresAt = over.expiresAt ?? new Date(Date.now() + HOUR_MS);
  const data = { adminId, secretHash: sha256(secret), ipAddress: '127.0.0.1', userAgent: 'test', expiresAt };
  const session = await db.session.create({ data });
  return { session, cookie: `${SESSION_COOKIE}=${cookieValue}` };
}

export async function makeApiKey(
  adminId: string,
  over: {
    name?: string;
    scopedDomainIds?: string[];
    rateLimit?: number;
    expiresAt?: Date | null;
    parentId?: string | null;
    permissions?: string[];
    allowedIps?: string[];
    senders?: string[];
  } = {},
) {
  const { key, prefix } = newApiKey();
  const {
    name = 'test',
    scopedDomainIds = [],
    rateLimit = 0,
    expiresAt = null,
    parentId = null,
    ...restrictions
  } = over;
  const data = {
    adminId,
    name,
    keyPrefix: prefix,
    keyHash: sha256(key),
    scopedDomainIds,
    rateLimit,
    expiresAt,
    ...restrictions,
    parentId,
    ancestorIds: parentId ? [parentId] : [],
  };
  return { key, row: await db.apiKey.create({ data }) };
}

/** By default a global webhook for all events, at an address that is rejected without a connection. */
export async function makeWebhook(
  over: { domainId?: string | null; url?: string; events?: string[]; active?: boolean; secret?: string } = {},
) {
  const {
    url = 'https://127.0.0.1/hook',
    events = ['*'],
    secret = 'whsec_dGVzdCBzZWNyZXQgb2YgdGVzdHM=',
    ...rest
  } = over;
  const id = uuidv7();
  const sealed = seal(`webhook.secret:${id}`, secret);
  return db.webhook.create({ data: { id, url, events, secret: sealed, createdBy: uuidv7(), ...rest } });
}

/** Creates an event with one abandoned delivery, which can be replayed. */
export async function makeAbandonedDelivery(webhookId: string, over: { domainId?: string | null } = {}) {
  const event = await db.event.create({ data: { type: 'mail.sent', body: '{}', bodyBytes: 2, ...over } });
  const finishedAt = new Date();
  return db.webhookDelivery.create({
    data: { webhookId, eventId: event.id, status: 'abandoned', attemptCount: 6, failureCount: 6, finishedAt },
  });
}

/** Makes records a few at a time, since nothing waits longer than 5 seconds for a connection. */
export function makeMany<Made>(count: number, make: (index: number) => Promise<Made>): Promise<Made[]> {
  const limit = pLimit(10);
  return Promise.all(Array.from({ length: count }, (_, index) => limit(() => make(index))));
}

export function unique(): string {
  return uuidv7().replaceAll('-', '').slice(4, 28);
}

/** An instance of the app, with a heartbeat just now or an hour ago. */
export function makeNode(over: { isAlive?: boolean; roles?: string[]; version?: string; clockAheadMs?: number } = {}) {
  const { isAlive = true, roles = ['web', 'worker'], version = '0.1.0', clockAheadMs = 0 } = over;
  const beatAt = new Date(Date.now() - (isAlive ? 0 : HOUR_MS));
  const load = { loadAverage: 0.5, memoryBytes: 200_000_000, clockAheadMs };
  const process = { host: `${unique()}.example`, processId: 1, version, roles, startedAt: beatAt };
  return db.clusterNode.create({ data: { id: uuidv7(), ...process, ...load, beatAt } });
}

/** An operation on a mail server, finished unless overridden. */
export function makeOperation(over: Partial<Prisma.OperationUncheckedCreateInput> = {}) {
  const asked = {
    requestedById: uuidv7(),
    requestedByEmail: 'ann@admins.example',
    requestId: uuidv7(),
    ipAddress: '::1',
  };
  const done = {
    state: 'succeeded' as const,
    message: 'Reloaded Postfix.',
    finishedAt: new Date(),
    leasedUntil: new Date(),
  };
  return db.operation.create({
    data: { host: 'mail.example.test', action: 'reload', dryRun: false, ...asked, ...done, ...over },
  });
}
