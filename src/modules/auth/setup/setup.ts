import { type Database, database, type Tx } from '@/server/db';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import type { Context } from '@/server/procedures/context';
import type { PublicMutationContext } from '@/server/procedures/mutation';
import { derivedToken, isDerivedToken } from '@/server/secrets/crypto';
import { hashPassword } from '@/server/secrets/password';
import { env } from '@/server/settings/env';
import type { LoggedIn, Setup, SetupStatus, SetupStatusQuery } from '../schema';
import { openSession } from '../sessions/session';

const SETUP = 'setup';
const FIRST_ADMIN_LOCK = 7_203_001;

/** Creates the admin of ADMIN_EMAIL, or prints the setup link, if there is no admin yet. */
export async function prepareFirstAdmin(): Promise<void> {
  const { adminEmail, adminPassword, appUrl } = env();
  if (await hasAdmin(database())) return;
  if (adminEmail && adminPassword) {
    const passwordHash = await hashPassword(adminPassword);
    const admin = await database().$transaction((tx) => createFirstAdmin(tx, adminEmail, passwordHash));
    if (admin) log.info({ email: admin.email }, 'created the first super_admin from ADMIN_EMAIL');
    return;
  }
  process.stdout.write(`\n  Set up the first admin: ${appUrl}/setup?token=${derivedToken(SETUP)}\n\n`);
}

export async function getSetupStatus(ctx: Context, { token }: SetupStatusQuery): Promise<SetupStatus> {
  const needsSetup = !(await hasAdmin(ctx.db));
  return { needs_setup: needsSetup, token_valid: needsSetup && token !== undefined && isDerivedToken(SETUP, token) };
}

/** Creates the first super_admin and signs them in. The link is invalid from then on. @throws FORBIDDEN or CONFLICT */
export async function setUp(ctx: PublicMutationContext, input: Setup): Promise<LoggedIn> {
  if (!isDerivedToken(SETUP, input.token)) {
    throw new AppError('FORBIDDEN', 'This setup link isn’t valid. Find the current one in the server’s output.');
  }
  const passwordHash = await hashPassword(input.password);
  return ctx.transaction(async ({ tx, audit }) => {
    const admin = await createFirstAdmin(tx, input.email, passwordHash);
    if (!admin) throw new AppError('CONFLICT', 'Postroom already has an admin. Sign in instead.');
    const loggedIn = await openSession(tx, ctx, admin.id);
    const actor = { admin, key: null };
    await audit({ resource: `admin:${admin.id}`, actor, before: null, after: loggedIn.admin });
    return loggedIn;
  });
}

/** Concurrent calls create one admin: the second waits for the lock, finds the first, and returns null. */
async function createFirstAdmin(tx: Tx, email: string, passwordHash: string) {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${FIRST_ADMIN_LOCK}::bigint)`;
  if (await hasAdmin(tx)) return null;
  const data = { email: email.toLowerCase(), passwordHash, role: 'super_admin' as const };
  return tx.admin.create({ data, select: { id: true, email: true } });
}

async function hasAdmin(db: Database | Tx): Promise<boolean> {
  return (await db.admin.findFirst({ select: { id: true } })) !== null;
}
