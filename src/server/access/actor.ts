import type { KeyPermission } from '@/lib/access/key-permissions';
import type { Role } from '@/lib/access/roles';
import { groupLookups } from '../background/group-calls';
import type { Clock } from '../clock';
import { database } from '../database/db';
import { AppError } from '../errors';
import type { Credentials } from '../secrets/credentials';
import { sha256 } from '../secrets/crypto';

/** The caller with role, domains and key scope, read from the database on every request. */
export type Actor = {
  admin: { id: string; email: string; role: Role; totpEnabled: boolean; lastLoginAt: Date | null };
  /** Used for domain_admin only; the other roles have access to every domain. */
  assignedDomainIds: readonly string[];
  session: { id: string } | null;
  key: ActorKey | null;
  /** How far the write-ahead log was after the last change of this session or key; null before its first read. */
  writtenTo: bigint | null;
};

export type ActorKey = LimitedKey & {
  /** A scoped key has access to `scopedDomainIds` only, which leaves out deleted domains: possibly to none. */
  isScoped: boolean;
  scopedDomainIds: readonly string[];
  expiresAt: Date | null;
  permissions: readonly KeyPermission[];
  /** Addresses and ranges from which the key can be used; empty for all. */
  allowedIps: readonly string[];
  /** Addresses, and domains such as @example.com, as which the key can send; empty for all. */
  senders: readonly string[];
  /** The key that created this one, the key that created that one, and so on. */
  ancestors: readonly LimitedKey[];
};

type LimitedKey = {
  id: string;
  /** Requests per minute; 0 is unlimited. */
  rateLimit: number;
};

/** Who sent a message that leaves later. The key is null for one from the console. */
export type LaterSender = { adminId: string; keyId: string | null };

const LAST_USED_GRANULARITY_MS = 60_000;

const NO_KEY = 'This isn’t a complete API key. Send one as "Authorization: Bearer service_…".';

/** One query. @throws AUTH_REQUIRED, SESSION_INVALID or API_KEY_INVALID */
export async function identify(credentials: Credentials, clock: Clock): Promise<Actor> {
  if (credentials.kind === 'session') return identifySession(credentials.secret, clock.now());
  if (credentials.kind === 'key') return identifyKey(credentials.key, clock.now());
  throw new AppError('AUTH_REQUIRED', 'Sign in, or send an API key as "Authorization: Bearer <key>".');
}

async function identifySession(secret: string | null, now: Date): Promise<Actor> {
  const session =
    secret === null
      ? null
      : await database().session.findUnique({
          relationLoadStrategy: 'join',
          where: { secretHash: sha256(secret), expiresAt: { gt: now } },
          select: { id: true, writtenTo: true, admin: { select: ADMIN_FIELDS } },
        });
  if (!session) throw new AppError('SESSION_INVALID', 'The session has ended. Sign in again.');
  const { id, writtenTo } = session;
  return { ...toActorFields(session.admin), session: { id }, key: null, writtenTo };
}

async function identifyKey(key: string | null, now: Date): Promise<Actor> {
  const row = key === null ? undefined : await findKey(toHex(sha256(key)));
  if (!row || (row.expiresAt !== null && row.expiresAt <= now)) {
    throw new AppError('API_KEY_INVALID', key === null ? NO_KEY : 'This API key is unknown, revoked or expired.');
  }
  await touch(row, now);
  const { admin, assignedDomainIds, writtenTo, lastUsedAt: _, ...actorKey } = row;
  const lastLoginAt = admin.lastLoginAt === null ? null : new Date(admin.lastLoginAt);
  return { admin: { ...admin, lastLoginAt }, assignedDomainIds, session: null, key: actorKey, writtenTo };
}

/** The caller of an earlier call, with what they may do now. @throws API_KEY_INVALID, FORBIDDEN if they are gone */
export async function identifyLater({ adminId, keyId }: LaterSender, now: Date): Promise<Actor> {
  if (keyId !== null) return (await findActor(keyId, now, 'The API key that scheduled the message')).actor;
  const admin = await database().admin.findUnique({ where: { id: adminId }, select: ADMIN_FIELDS });
  if (!admin) throw new AppError('FORBIDDEN', 'The admin who scheduled the message was deleted.');
  return { ...toActorFields(admin), session: null, key: null, writtenTo: null };
}

/** The caller of an SMTP session in which a key has signed in. @throws API_KEY_INVALID */
export async function identifyKeySession(keyId: string, now: Date): Promise<Actor> {
  const { actor, lastUsedAt } = await findActor(keyId, now, 'This API key');
  await touch({ id: keyId, lastUsedAt }, now);
  return actor;
}

async function findActor(keyId: string, now: Date, subject: string) {
  const row = await database().apiKey.findUnique({
    where: { id: keyId },
    include: { admin: { select: ADMIN_FIELDS } },
  });
  if (!row) throw new AppError('API_KEY_INVALID', `${subject} was revoked.`);
  const { admin, expiresAt, scopedDomainIds: ids, ancestorIds, lastUsedAt } = row;
  if (expiresAt !== null && expiresAt <= now) throw new AppError('API_KEY_INVALID', `${subject} has expired.`);
  const [domains, ancestors] = await Promise.all([
    database().domain.findMany({ where: { id: { in: ids } }, select: { id: true } }),
    database().apiKey.findMany({ where: { id: { in: ancestorIds } }, select: { id: true, rateLimit: true } }),
  ]);
  const { id, rateLimit, permissions, allowedIps, senders } = row;
  const scope = { isScoped: ids.length > 0, scopedDomainIds: domains.map((domain) => domain.id) };
  const key = { id, rateLimit, permissions: permissions as KeyPermission[], allowedIps, senders, expiresAt, ...scope };
  const actor: Actor = { ...toActorFields(admin), session: null, key: { ...key, ancestors }, writtenTo: null };
  return { actor, lastUsedAt };
}

type KeyRow = Omit<ActorKey, 'ancestors'> &
  Pick<Actor, 'assignedDomainIds' | 'writtenTo'> & {
    lastUsedAt: Date | null;
    ancestors: LimitedKey[];
    admin: Omit<Actor['admin'], 'lastLoginAt'> & { lastLoginAt: string | null };
  };

/**
 * One query for the key, its scope, the keys that created it, and its admin, and for those of calls that come at the same
 * time. It begins after the call, so a key that was revoked before is not found. Messages, events and audit entries keep the
 * id of a deleted domain, and so does a key's scope. The array is the result of a query: for the values of an array itself, Postgres
 * would make a new plan on each call, which takes as long as all else in it.
 */
const findKey = groupLookups(
  async (hashes: string[]): Promise<Map<string, KeyRow>> => {
    const rows = await database().$queryRaw<(KeyRow & { hash: string })[]>`/* prepared */
      SELECT encode(k.key_hash, 'hex') AS hash, k.id, k.rate_limit AS "rateLimit", k.expires_at AS "expiresAt",
             k.last_used_at AS "lastUsedAt", k.written_to AS "writtenTo",
             k.permissions, k.allowed_ips AS "allowedIps", k.senders,
             cardinality(k.scoped_domain_ids) > 0 AS "isScoped",
             ARRAY(SELECT d.id FROM domain d WHERE d.id = ANY (k.scoped_domain_ids)) AS "scopedDomainIds",
             ARRAY(SELECT ad.domain_id FROM admin_domain ad WHERE ad.admin_id = a.id) AS "assignedDomainIds",
             to_jsonb(ARRAY(SELECT jsonb_build_object('id', p.id, 'rateLimit', p.rate_limit)
                              FROM api_key p WHERE p.id = ANY (k.ancestor_ids))) AS ancestors,
             jsonb_build_object('id', a.id, 'email', a.email, 'role', a.role, 'totpEnabled', a.totp_enabled,
                                'lastLoginAt', a.last_login_at) AS admin
        FROM api_key k JOIN admin a ON a.id = k.admin_id
       WHERE k.key_hash = ANY (ARRAY(SELECT unnest(${hashes.map((hash) => `\\x${hash}`)}::bytea[])))`;
    return new Map(rows.map(({ hash, ...row }) => [hash, row]));
  },
  { maxRunning: 4, maxItems: 100, waitMs: 5, enough: (running) => (running === 0 ? 1 : Infinity) },
);

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Updates `last_used_at` at most once per minute, so that a busy key doesn't write on every call. */
async function touch(key: { id: string; lastUsedAt: Date | null }, now: Date): Promise<void> {
  if (key.lastUsedAt && Math.abs(now.getTime() - key.lastUsedAt.getTime()) < LAST_USED_GRANULARITY_MS) return;
  await database().apiKey.updateMany({ where: { id: key.id }, data: { lastUsedAt: now } });
}

const ADMIN_FIELDS = {
  id: true,
  email: true,
  role: true,
  totpEnabled: true,
  lastLoginAt: true,
  domains: { select: { domainId: true } },
} as const;

function toActorFields({ domains, ...admin }: Actor['admin'] & { domains: { domainId: string }[] }) {
  return { admin, assignedDomainIds: domains.map((domain) => domain.domainId) };
}
