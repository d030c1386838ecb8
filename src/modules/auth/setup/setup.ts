import { systemClock } from '@/server/clock';
import { lock } from '@/server/database/advisory-locks';
import { type Database, database, type Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import type { Context } from '@/server/procedures/context';
import type { PublicMutationContext } from '@/server/procedures/mutation';
import { randomToken, sha256 } from '@/server/secrets/crypto';
import { hashPassword } from '@/server/secrets/password';
import { env } from '@/server/settings/env';
import type { LoggedIn, Setup, SetupStatus, SetupStatusQuery } from '../schema';
import { openSession } from '../sessions/session';

const LINK_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Creates the admin of ADMIN_EMAIL, if there is no admin yet. @returns the setup link, if there is none of those either */
export async function prepareFirstAdmin(): Promise<string | null> {
  const { adminEmail, adminPassword, appUrl } = env();
  if (await hasAdmin(database())) return null;
  if (adminEmail && adminPassword) {
    const passwordHash = await hashPassword(adminPassword);
    const admin = await database().$transaction((tx) => createFirstAdmin(tx, adminEmail, passwordHash));
    if (admin) log.info({ email: admin.email }, 'created the first super_admin from ADMIN_EMAIL');
    return null;
  }
  return `${appUrl}/setup?token=${await makeSetupToken(database(), systemClock.now())}`;
}

/** A new token for each start. Those of other instances and earlier starts stay valid until they expire. */
export async function makeSetupToken(db: Database, now: Date): Promise<string> {
  const token = randomToken();
  await db.setupLink.deleteMany({ where: { expiresAt: { lte: now } } });
  const expiresAt = new Date(now.getTime() + LINK_LIFETIME_MS);
  await db.setupLink.create({ data: { secretHash: sha256(token), expiresAt } });
  return token;
}

export async function getSetupStatus(ctx: Context, { token }: SetupStatusQuery): Promise<SetupStatus> {
  const needsSetup = !(await hasAdmin(ctx.db));
  return { needs_setup: needsSetup, token_valid: needsSetup && token !== undefined && (await isValid(ctx, token)) };
}

/** Creates the first super_admin and signs them in. The link is invalid from then on. @throws FORBIDDEN or CONFLICT */
export async function setUp(ctx: PublicMutationContext, input: Setup): Promise<LoggedIn> {
  if (await hasAdmin(ctx.db)) throw alreadySetUp();
  if (!(await isValid(ctx, input.token))) {
    throw new AppError(
      'FORBIDDEN',
      'This setup link isn’t valid or has expired. Find the current one in the server’s output, or restart the server for a new one.',
    );
  }
  const passwordHash = await hashPassword(input.password);
  return ctx.transaction(async ({ tx, audit }) => {
    const admin = await createFirstAdmin(tx, input.email, passwordHash);
    if (!admin) throw alreadySetUp();
    await tx.setupLink.deleteMany();
    const loggedIn = await openSession(tx, ctx, admin.id);
    const actor = { admin, key: null };
    await audit({ resource: `admin:${admin.id}`, actor, before: null, after: loggedIn.admin });
    return loggedIn;
  });
}

async function isValid({ db, clock }: Context, token: string): Promise<boolean> {
  const where = { secretHash: sha256(token), expiresAt: { gt: clock.now() } };
  return (await db.setupLink.findUnique({ where, select: { expiresAt: true } })) !== null;
}

function alreadySetUp(): AppError {
  return new AppError('CONFLICT', 'Postroom already has an admin. Sign in instead.');
}

/** Concurrent calls create one admin: the second waits for the lock, finds the first, and returns null. */
async function createFirstAdmin(tx: Tx, email: string, passwordHash: string) {
  await lock(tx, 'firstAdmin');
  if (await hasAdmin(tx)) return null;
  const data = { email: email.toLowerCase(), passwordHash, role: 'super_admin' as const };
  return tx.admin.create({ data, select: { id: true, email: true } });
}

export async function hasAdmin(db: Database | Tx): Promise<boolean> {
  return (await db.admin.findFirst({ select: { id: true } })) !== null;
}
