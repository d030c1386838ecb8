import type { Role } from '@/lib/roles';
import type { Clock } from '../clock';
import type { Tx } from '../db';
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
};

export type ActorKey = LimitedKey & {
  /** A scoped key has access to `scopedDomainIds` only, which leaves out deleted domains: possibly to none. */
  isScoped: boolean;
  scopedDomainIds: readonly string[];
  expiresAt: Date | null;
  /** The key that created this one, the key that created that one, and so on. */
  ancestors: readonly LimitedKey[];
};

type LimitedKey = {
  id: string;
  /** Requests per minute; 0 is unlimited. */
  rateLimit: number;
};

const LAST_USED_GRANULARITY_MS = 60_000;

/** One query, plus one for a key with a scope and one for a key that was created by a key. @throws AUTH_REQUIRED, SESSION_INVALID or API_KEY_INVALID */
export async function identify(db: Tx, credentials: Credentials, clock: Clock): Promise<Actor> {
  if (credentials.kind === 'session') return identifySession(db, credentials.secret, clock.now());
  if (credentials.kind === 'key') return identifyKey(db, credentials.key, clock.now());
  throw new AppError('AUTH_REQUIRED', 'Sign in, or send an API key as "Authorization: Bearer <key>".');
}

async function identifySession(db: Tx, secret: string | null, now: Date): Promise<Actor> {
  const session =
    secret === null
      ? null
      : await db.session.findUnique({
          relationLoadStrategy: 'join',
          where: { secretHash: sha256(secret), expiresAt: { gt: now } },
          select: { id: true, admin: { select: ADMIN_FIELDS } },
        });
  if (!session) throw new AppError('SESSION_INVALID', 'The session has ended. Sign in again.');
  return { ...toActorFields(session.admin), session: { id: session.id }, key: null };
}

async function identifyKey(db: Tx, key: string | null, now: Date): Promise<Actor> {
  const row =
    key === null
      ? null
      : await db.apiKey.findUnique({
          relationLoadStrategy: 'join',
          where: { keyHash: sha256(key), OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
          select: {
            id: true,
            scopedDomainIds: true,
            rateLimit: true,
            expiresAt: true,
            lastUsedAt: true,
            ancestorIds: true,
            admin: { select: ADMIN_FIELDS },
          },
        });
  if (!row) throw new AppError('API_KEY_INVALID', 'This API key is unknown, revoked or expired.');
  await touch(db, row, now);
  const { id, rateLimit, expiresAt } = row;
  const isScoped = row.scopedDomainIds.length > 0;
  const [scopedDomainIds, ancestors] = await Promise.all([existingDomainIds(db, row), ancestorsOf(db, row)]);
  const actorKey = { id, isScoped, scopedDomainIds, rateLimit, expiresAt, ancestors };
  return { ...toActorFields(row.admin), session: null, key: actorKey };
}

/** Messages, events and audit entries keep the id of a deleted domain, and so does a key's scope. */
async function existingDomainIds(db: Tx, { scopedDomainIds }: { scopedDomainIds: string[] }): Promise<string[]> {
  if (scopedDomainIds.length === 0) return [];
  const domains = await db.domain.findMany({ where: { id: { in: scopedDomainIds } }, select: { id: true } });
  return domains.map((domain) => domain.id);
}

async function ancestorsOf(db: Tx, { ancestorIds }: { ancestorIds: string[] }): Promise<LimitedKey[]> {
  if (ancestorIds.length === 0) return [];
  return db.apiKey.findMany({ where: { id: { in: ancestorIds } }, select: { id: true, rateLimit: true } });
}

/** Updates `last_used_at` at most once per minute, so that a busy key doesn't write on every call. */
async function touch(db: Tx, key: { id: string; lastUsedAt: Date | null }, now: Date): Promise<void> {
  if (key.lastUsedAt && now.getTime() - key.lastUsedAt.getTime() < LAST_USED_GRANULARITY_MS) return;
  await db.apiKey.updateMany({ where: { id: key.id }, data: { lastUsedAt: now } });
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
