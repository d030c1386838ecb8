import { hasRole, type Role } from '@/lib/access/roles';
import { uuidv7 } from '@/lib/uuid';
import { hashPassword } from '@/server/secrets/password';
import { db } from '../../database';
import { makeApiKey, makeSession, unique } from '../../factories';

export const CREDENTIALS = ['session', 'key', 'scoped key'] as const;

export type Caller = { role: Role; credential: (typeof CREDENTIALS)[number] | 'none' };

/** The resource of a request: the caller's own, somebody else's, or one that doesn't exist. */
export type Target = 'own' | 'foreign' | 'missing';

export type Scenario = Caller & {
  headers: Record<string, string>;
  adminId: string;
  strangerId: string;
  domains: Record<Target, { id: string; name: string }>;
  keyId: string | null;
};

export type Call = { path: string; body?: object };
export type Outcome = { status: number; code: string | null };

export type Fixture = {
  /** Who can access it: by the row's domain, by a domain in the request, by the owning admin, or everybody. */
  kind: 'of a domain' | 'named domain' | 'own session' | 'own key' | 'own admin' | 'shared';
  targets: Partial<Record<Target, (scenario: Scenario) => Call | Promise<Call>>>;
  /** The response once access is granted, if it isn't the route's success status. */
  success?: Outcome;
  missing?: Outcome;
};

export const PASSWORD = 'paper boats on the canal';
export const MISSING_ID = '019ac000-0000-7000-8000-000000000000';
const passwordHash = await hashPassword(PASSWORD);

/** A caller with access to one domain, a second domain that is assigned to nobody and in no scope, and another admin. */
export async function makeScenario({ role, credential }: Caller): Promise<Scenario> {
  const [own, foreign] = [named(), named()];
  const [adminId, strangerId] = [uuidv7(), uuidv7()];
  await db.$executeRaw`
    WITH domains AS (
      INSERT INTO domain (id, name, updated_at)
      VALUES (${own.id}::uuid, ${own.name}, now()), (${foreign.id}::uuid, ${foreign.name}, now())
    ), admins AS (
      INSERT INTO admin (id, email, role, password_hash, updated_at)
      VALUES (${adminId}::uuid, ${emailOf(adminId)}, ${role}::role, ${passwordHash}, now()),
             (${strangerId}::uuid, ${emailOf(strangerId)}, 'admin', NULL, now())
    )
    INSERT INTO admin_domain (admin_id, domain_id) VALUES (${adminId}::uuid, ${own.id}::uuid)`;
  const domains = { own, foreign, missing: { ...named(), id: MISSING_ID } };
  return { role, credential, adminId, strangerId, domains, ...(await credentials(credential, adminId, own.id)) };
}

function named(): { id: string; name: string } {
  return { id: uuidv7(), name: `d${unique()}.example` };
}

function emailOf(adminId: string): string {
  return `${adminId}@admins.example`;
}

export function isInScope(kind: Fixture['kind'] | undefined, { role, credential }: Caller): boolean {
  const isScoped = credential === 'scoped key';
  if (kind === 'own session') return false;
  if (kind === 'own key' || kind === 'own admin') return role === 'super_admin' && !isScoped;
  return hasRole(role, 'admin') && !isScoped;
}

type Credentials = { headers: Record<string, string>; keyId: string | null };

async function credentials(credential: Caller['credential'], adminId: string, domainId: string): Promise<Credentials> {
  if (credential === 'none') return { headers: {}, keyId: null };
  if (credential === 'session') {
    const { cookie } = await makeSession(adminId);
    return { headers: { cookie, 'sec-fetch-site': 'same-origin' }, keyId: null };
  }
  const { key, row } = await makeApiKey(adminId, { scopedDomainIds: credential === 'scoped key' ? [domainId] : [] });
  return { headers: { authorization: `Bearer ${key}` }, keyId: row.id };
}
