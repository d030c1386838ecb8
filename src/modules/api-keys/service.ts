import { isAmongSenders, KEY_PERMISSIONS } from '@/lib/access/key-permissions';
import { hasRole } from '@/lib/access/roles';
import { KEYS_LOGIN, SUBMISSION_PORTS } from '@/lib/mail/services';
import { mailHostName } from '@/modules/domains/service';
import { isMailServerAttached } from '@/modules/mail-server/service';
import { sandboxSmtpPort } from '@/modules/sending/service';
import type { Actor } from '@/server/access/actor';
import { authorizeDomain, isScoped } from '@/server/access/authorize';
import { requireStillSignedIn } from '@/server/access/still-signed-in';
import type { Tx } from '@/server/database/db';
import { AppError, notFound } from '@/server/errors';
import { isWithin, parseRange } from '@/server/http/address-ranges';
import { escapeLike } from '@/server/list/search-key';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { newApiKey } from '@/server/secrets/api-key.mjs';
import { sha256 } from '@/server/secrets/crypto';
import { apiKeyList, type ListApiKeys } from './lists';
import type { ApiKey, CreateApiKey, CreatedApiKey } from './schema';

const MAX_ANCESTORS = 5;
/** More than the programs of anybody; each is looked at when the keys are listed or revoked. */
const MAX_KEYS = 1_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A super_admin sees all keys, other admins their own, and a scoped key only its descendants. */
export async function listApiKeys(ctx: ActorContext, input: ListApiKeys): Promise<Page<ApiKey>> {
  const filters = [accessFilter(ctx), ...filtersOf(input, ctx.clock.now())];
  return paginate(apiKeyList, input, {
    fetch: ({ where, ...page }) =>
      ctx.db.apiKey.findMany({ ...page, select: FIELDS, where: { AND: [where, ...filters] } }),
    count: (take) => ctx.db.apiKey.count({ where: { AND: filters }, take }),
    present,
  });
}

/** Returns the key itself, which no other call does. Only its SHA-256 hash is stored. @throws SESSION_INVALID, API_KEY_INVALID */
export async function createApiKey(ctx: MutationContext, input: CreateApiKey): Promise<CreatedApiKey> {
  const domainIds = [...new Set(input.scoped_domain_ids)];
  for (const id of domainIds) await authorizeDomain(ctx, { id }, { allowInactive: true });
  const now = ctx.clock.now();
  const expiresAt = input.expires_in_days > 0 ? new Date(now.getTime() + input.expires_in_days * DAY_MS) : null;
  rejectBroaderKey(ctx, domainIds, input, expiresAt);

  const { key, prefix } = newApiKey();
  const data = {
    adminId: ctx.actor.admin.id,
    name: input.name,
    keyPrefix: prefix,
    keyHash: sha256(key),
    scopedDomainIds: domainIds,
    rateLimit: input.rate_limit,
    permissions: KEY_PERMISSIONS.filter((permission) => input.permissions.includes(permission)),
    allowedIps: [...new Set(input.allowed_ips)],
    senders: [...new Set(input.senders)],
    expiresAt,
    createdAt: now,
    ...lineage(ctx.actor),
  };
  return ctx.transaction(async ({ tx, audit }) => {
    await requireStillSignedIn(tx, ctx.actor);
    if ((await tx.apiKey.count({ where: { adminId: data.adminId }, take: MAX_KEYS })) === MAX_KEYS)
      throw new AppError('CONFLICT', 'You have 1,000 API keys, and can’t have more. Revoke those that nothing uses.');
    const { last_used_at: _, ...record } = present(await tx.apiKey.create({ select: FIELDS, data }));
    await audit({ resource: `api_key:${record.id}`, before: null, after: record });
    return { key, api_key: record, smtp: await smtpOf(tx, record) };
  });
}

async function smtpOf(tx: Tx, { permissions }: Pick<ApiKey, 'permissions'>): Promise<CreatedApiKey['smtp']> {
  if (!permissions.includes('send')) return null;
  const sandboxPort = sandboxSmtpPort();
  if (sandboxPort !== null) {
    return { host: '127.0.0.1', ports: { tls: null, starttls: sandboxPort }, user_name: KEYS_LOGIN };
  }
  if (!(await isMailServerAttached(tx))) return null;
  return { host: await mailHostName(tx), ports: SUBMISSION_PORTS, user_name: KEYS_LOGIN };
}

/** The foreign key also deletes the keys created with it. */
export async function deleteApiKey(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit }) => {
    const row = await tx.apiKey.findFirst({ where: { AND: [{ id }, accessFilter(ctx)] }, select: FIELDS });
    if (!row) throw notFound('API key');
    const descendants = await tx.apiKey.findMany({
      where: { adminId: row.adminId, ancestorIds: { has: id } },
      select: { id: true },
    });
    const { count } = await tx.apiKey.deleteMany({ where: { id } });
    if (count === 0) throw notFound('API key');
    const details = { revoked_with_it: descendants.map((key) => key.id) };
    await audit({ resource: `api_key:${id}`, before: present(row), after: null, details });
    return {
      message: `API key ${row.name} revoked${descendants.length > 0 ? ', along with the keys created with it' : ''}.`,
    };
  });
}

/** Revokes every key of an admin, for a new password. @returns their ids */
export async function revokeKeysOf(tx: Tx, adminId: string): Promise<string[]> {
  const revoked = await tx.$queryRaw<{ id: string }[]>`
    DELETE FROM api_key WHERE admin_id = ${adminId}::uuid RETURNING id`;
  return revoked.map(({ id }) => id);
}

function lineage({ key }: Actor): { parentId: string | null; ancestorIds: string[] } {
  if (!key) return { parentId: null, ancestorIds: [] };
  return { parentId: key.id, ancestorIds: [key.id, ...key.ancestors.map((ancestor) => ancestor.id)] };
}

function accessFilter({ actor }: ActorContext): Prisma.ApiKeyWhereInput {
  if (actor.key && isScoped(actor)) return { adminId: actor.admin.id, ancestorIds: { has: actor.key.id } };
  return hasRole(actor.admin.role, 'super_admin') ? {} : { adminId: actor.admin.id };
}

function filtersOf({ q, expired }: ListApiKeys, now: Date): Prisma.ApiKeyWhereInput[] {
  const filters: Prisma.ApiKeyWhereInput[] = [];
  if (q) {
    const literal = escapeLike(q);
    const text = { contains: literal, mode: 'insensitive' as const };
    filters.push({ OR: [{ name: text }, { admin: { email: text } }, { keyPrefix: { startsWith: literal } }] });
  }
  if (expired === true) filters.push({ expiresAt: { lte: now } });
  if (expired === false) filters.push({ OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] });
  return filters;
}

function rejectBroaderKey(
  ctx: ActorContext,
  domainIds: string[],
  { rate_limit: rateLimit, permissions, allowed_ips: allowedIps, senders }: CreateApiKey,
  expiresAt: Date | null,
): void {
  const { key } = ctx.actor;
  if (!key) return;
  const reject = (path: string, message: string) => {
    throw new AppError('FORBIDDEN', `A key can’t grant more access than it has. ${message}`, {
      details: { fields: [{ path, message }] },
    });
  };
  if (key.ancestors.length >= MAX_ANCESTORS) {
    throw new AppError(
      'FORBIDDEN',
      `Keys can create other keys at most ${MAX_ANCESTORS} levels deep, and this key is at the last level.`,
    );
  }
  if (isScoped(ctx.actor) && domainIds.length === 0) {
    reject('scoped_domain_ids', 'Select at least one domain in its scope.');
  }
  if (key.rateLimit > 0 && (rateLimit === 0 || rateLimit > key.rateLimit)) {
    reject('rate_limit', `The rate limit can be at most ${key.rateLimit} requests per minute.`);
  }
  const missing = permissions.find((permission) => !key.permissions.includes(permission));
  if (missing) reject('permissions', `This key doesn’t have the permission "${missing}".`);
  const outer = key.allowedIps.map(parseRange);
  if (outer.length > 0 && !(allowedIps.length > 0 && allowedIps.every((text) => isWithin(parseRange(text), outer)))) {
    reject('allowed_ips', `Enter addresses within ${key.allowedIps.join(', ')}.`);
  }
  if (
    key.senders.length > 0 &&
    !(senders.length > 0 && senders.every((sender) => isAmongSenders(sender, key.senders)))
  ) {
    reject('senders', `Enter senders among ${key.senders.join(', ')}.`);
  }
  if (key.expiresAt && (!expiresAt || expiresAt > key.expiresAt)) {
    reject('expires_in_days', `The new key must expire by ${key.expiresAt.toISOString()}.`);
  }
}

const FIELDS = {
  id: true,
  adminId: true,
  admin: { select: { email: true } },
  name: true,
  keyPrefix: true,
  scopedDomainIds: true,
  rateLimit: true,
  permissions: true,
  allowedIps: true,
  senders: true,
  lastUsedAt: true,
  expiresAt: true,
  createdAt: true,
} satisfies Prisma.ApiKeySelect;

type Row = Prisma.ApiKeyGetPayload<{ select: typeof FIELDS }>;

function present(row: Row): ApiKey {
  return {
    id: row.id,
    admin_id: row.adminId,
    admin_email: row.admin.email,
    name: row.name,
    key_prefix: row.keyPrefix,
    scoped_domain_ids: row.scopedDomainIds,
    rate_limit: row.rateLimit,
    permissions: KEY_PERMISSIONS.filter((permission) => row.permissions.includes(permission)),
    allowed_ips: row.allowedIps,
    senders: row.senders,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    expires_at: row.expiresAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  };
}
