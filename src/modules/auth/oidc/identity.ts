import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import type { Claims } from './handshake';
import type { Provider } from './providers';

type Found = { admin: { id: string; email: string }; isNew: boolean };
/** Why an identity is nobody's. */
type Nobody = { reason: string };

type Identity = { providerId: string; issuer: string; subject: string; createdAt: Date };

const ADMIN = { id: true, email: true } as const;

/**
 * Finds the admin for an identity by (issuer, subject); by email only if the provider is configured to link verified
 * addresses. Signing in never creates an admin.
 */
export async function findAdminOf(tx: Tx, provider: Provider, claims: Claims): Promise<Found | Nobody> {
  const linked = await findLinked(tx, claims);
  if (linked) return { admin: linked, isNew: false };
  if (!provider.linkVerifiedEmail)
    return { reason: 'the identity is linked to no admin, and linkVerifiedEmail is off' };
  if (!claims.email) return { reason: 'the identity is linked to no admin, and the id_token has no email' };
  if (!claims.email_verified) return { reason: 'the identity is linked to no admin, and its email is not verified' };
  const admin = await tx.admin.findUnique({ where: { email: claims.email.toLowerCase() }, select: ADMIN });
  if (!admin) return { reason: 'no admin has the email of the identity' };
  if (await insertIdentity(tx, provider, claims, admin.id)) return { admin, isNew: true };
  const owner = await findLinked(tx, claims);
  return owner ? { admin: owner, isNew: false } : { reason: 'the admin with this email has another identity' };
}

/** Links an identity, or returns the error. Of two concurrent links one wins, by the table's constraints. */
export async function linkIdentity(
  tx: Tx,
  provider: Provider,
  claims: Claims,
  adminId: string,
): Promise<'identity_taken' | 'already_linked' | null> {
  if (await insertIdentity(tx, provider, claims, adminId)) return null;
  const owner = await findLinked(tx, claims);
  return owner && owner.id !== adminId ? 'identity_taken' : 'already_linked';
}

export async function findIdentity(db: Tx, adminId: string): Promise<Identity | null> {
  const [identity] = await db.$queryRaw<Identity[]>`/* prepared */
    SELECT provider_id AS "providerId", issuer, subject, created_at AS "createdAt"
      FROM oidc_identity WHERE admin_id = ${adminId}::uuid`;
  return identity ?? null;
}

/**
 * Removes an admin's identity, unless it is their only way to sign in.
 * @param withoutPassword what to say to an admin without a password
 * @throws CONFLICT without a password, or if nothing is linked
 */
export async function removeIdentity(tx: Tx, adminId: string, withoutPassword: string): Promise<Identity> {
  await lockAdmin(tx, adminId);
  const select = { passwordHash: true };
  const { passwordHash } = await tx.admin.findUniqueOrThrow({ where: { id: adminId }, select });
  const identity = await findIdentity(tx, adminId);
  if (!identity) throw new AppError('CONFLICT', 'No identity provider is linked.');
  if (!passwordHash) throw new AppError('CONFLICT', withoutPassword);
  const { count } = await tx.oidcIdentity.deleteMany({ where: { adminId } });
  if (count === 0) throw new AppError('CONFLICT', 'No identity provider is linked.');
  return identity;
}

async function insertIdentity(tx: Tx, provider: Provider, { iss, sub }: Claims, adminId: string): Promise<boolean> {
  const data = { adminId, providerId: provider.id, issuer: iss, subject: sub };
  const { count } = await tx.oidcIdentity.createMany({ data, skipDuplicates: true });
  return count === 1;
}

async function findLinked(tx: Tx, { iss, sub }: Claims): Promise<Found['admin'] | null> {
  const where = { issuer_subject: { issuer: iss, subject: sub } };
  const known = await tx.oidcIdentity.findUnique({ where, select: { adminId: true } });
  if (!known) return null;
  const { adminId } = known;
  await lockAdmin(tx, adminId);
  const identity = await tx.oidcIdentity.findUnique({
    where: { ...where, adminId },
    select: { admin: { select: ADMIN } },
  });
  return identity?.admin ?? null;
}

/**
 * Until the transaction ends, the admin isn't deleted and keeps their identity. Its removal also ends the sessions that were opened
 * with it, so a sign-in must come before or after.
 */
async function lockAdmin(tx: Tx, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM admin WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
}
