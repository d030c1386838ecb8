import type { Role } from '@/lib/access/roles';
import type { Tx } from '../database/db';
import { AppError } from '../errors';
import type { Actor } from './actor';

/**
 * Checks that the caller's session or key hasn't ended since the call began, before a change that would outlive it. Keeps both, and
 * the role, until the transaction ends. Locks the admin first, as changes of a password or role do.
 * @returns the role that the caller has now
 * @throws SESSION_INVALID, API_KEY_INVALID
 */
export async function requireStillSignedIn(tx: Tx, { admin, session, key }: Actor): Promise<Role> {
  const [current] = await tx.$queryRaw<{ role: Role }[]>`
    SELECT role FROM admin WHERE id = ${admin.id}::uuid FOR NO KEY UPDATE`;
  const held = key
    ? await tx.$queryRaw<unknown[]>`SELECT 1 FROM api_key WHERE id = ${key.id}::uuid FOR KEY SHARE`
    : await tx.$queryRaw<unknown[]>`SELECT 1 FROM session WHERE id = ${session?.id}::uuid FOR KEY SHARE`;
  if (current && held.length > 0) return current.role;
  if (key) throw new AppError('API_KEY_INVALID', 'This API key was just revoked.');
  throw new AppError('SESSION_INVALID', 'This session has just ended. Sign in again.');
}
