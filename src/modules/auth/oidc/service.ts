import { safeNextPath } from '@/lib/access/next-path';
import { insertAuditEntry } from '@/server/audit';
import type { Database, Tx } from '@/server/database/db';
import { recordDeniedAttempt } from '@/server/denied-attempts';
import { AppError } from '@/server/errors';
import { countSignInFailure } from '@/server/metrics/metrics';
import type { Context } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { recordWrite } from '@/server/replica/reads';
import { sha256 } from '@/server/secrets/crypto';
import type { LoggedIn, TotpPending } from '../schema';
import { passFirstFactor } from '../sign-in';
import { beginHandshake, type Claims, finishHandshake, logFailure, type Refused } from './handshake';
import { findAdminOf, findIdentity, linkIdentity, removeIdentity } from './identity';
import { findIntent, forgetHandshake, type Intent } from './intent';
import { getProvider, type Provider } from './providers';
import type { ByProvider, LinkStarted, OidcCallback, OidcLogin, Redirection } from './schema';

/** @throws NOT_FOUND */
export async function beginSignIn(ctx: Context, input: OidcLogin): Promise<Redirection> {
  const provider = getProvider(input.provider);
  const started = await beginHandshake(ctx, provider, { purpose: 'sign-in', next: nextPath(input.next) });
  return { location: 'url' in started ? started.url : page('/login', { error: started.error }) };
}

/** Handles the callback. Every result is a redirect to a page. @throws NOT_FOUND */
export async function finish(ctx: Context, input: OidcCallback): Promise<Redirection> {
  const provider = getProvider(input.provider);
  const intent = findIntent(ctx, provider);
  forgetHandshake(ctx, provider);
  if (!intent) {
    return failTo(ctx, provider, null, logFailure(ctx, provider, 'expired', 'the browser has no pending sign-in'));
  }
  const claims =
    input.state === intent.state
      ? await finishHandshake(ctx, provider, input)
      : logFailure(ctx, provider, 'sign_in_failed', 'state mismatch');
  if ('error' in claims) return failTo(ctx, provider, intent, claims);
  await forgetOldStates(ctx.db, ctx.clock.now());
  return intent.purpose === 'link'
    ? finishLink(ctx, provider, intent, claims)
    : finishSignIn(ctx, provider, intent, claims);
}

/** @throws NOT_FOUND, CONFLICT if already linked, SERVICE_UNAVAILABLE if the provider isn't responding */
export async function beginLink(ctx: MutationContext, input: ByProvider): Promise<LinkStarted> {
  const provider = getProvider(input.provider);
  const { admin, session } = ctx.actor;
  if (await findIdentity(ctx.db, admin.id)) {
    throw new AppError('CONFLICT', 'Your account is already linked to an identity provider. Disconnect it first.');
  }
  const purpose = { purpose: 'link', adminId: admin.id, sessionId: session?.id as string } as const;
  const started = await beginHandshake(ctx, provider, purpose);
  if ('error' in started) {
    throw new AppError('SERVICE_UNAVAILABLE', `${provider.name} isn’t responding. Try again in a moment.`);
  }
  await ctx.auditAlone({ resource: `admin:${admin.id}`, details: { provider: provider.id } });
  return started;
}

/** @throws CONFLICT if nothing is linked, or if it is the only way to sign in */
export async function disconnect(ctx: MutationContext): Promise<{ message: string }> {
  const { admin } = ctx.actor;
  const only = 'You have no password, so the identity provider is your only way to sign in. Set a password first.';
  await ctx.transaction(async ({ tx, audit }) => {
    const { providerId, issuer } = await removeIdentity(tx, admin.id, only);
    await audit({ resource: `admin:${admin.id}`, details: { provider: providerId, issuer } });
  });
  return { message: 'Identity provider disconnected.' };
}

async function finishSignIn(
  ctx: Context,
  provider: Provider,
  intent: Extract<Intent, { purpose: 'sign-in' }>,
  claims: Claims,
): Promise<Redirection> {
  const passed = await ctx.db.$transaction(async (tx) => {
    if (!(await consumeState(tx, intent))) return USED;
    const found = await findAdminOf(tx, provider, claims);
    if ('reason' in found) return { error: 'no_account' as const, reason: found.reason };
    const answer = await passFirstFactor(tx, ctx, found.admin.id);
    const isPending = 'requires_totp' in answer;
    await insertAuditEntry(tx, ctx, {
      action: 'session.create',
      outcome: 'success',
      actor: { admin: found.admin, key: null },
      resource: isPending ? 'session' : `session:${answer.session_id}`,
      details: {
        method: 'oidc',
        provider: provider.id,
        ...(found.isNew && { linked_by: 'verified_email' }),
        ...(isPending && { requires_totp: true }),
      },
    });
    return answer;
  });
  if ('error' in passed) {
    const { error, reason } = passed;
    return failTo(ctx, provider, intent, logFailure(ctx, provider, error, reason), claims.email);
  }
  return { location: pageAfter(passed, intent.next) };
}

async function finishLink(
  ctx: Context,
  provider: Provider,
  intent: Extract<Intent, { purpose: 'link' }>,
  claims: Claims,
): Promise<Redirection> {
  const { sessionId, adminId } = intent;
  const refused = await ctx.db.$transaction(async (tx): Promise<Refused | null> => {
    if (!(await consumeState(tx, intent))) return USED;
    const session = await tx.session.findUnique({
      where: { id: sessionId, adminId, expiresAt: { gt: ctx.clock.now() } },
      select: { admin: { select: { id: true, email: true } } },
    });
    if (!session) return { error: 'session_ended', reason: 'the session that began this has ended' };
    const refusal = await linkIdentity(tx, provider, claims, adminId);
    if (refusal) return { error: refusal, reason: LINK_REFUSALS[refusal] };
    await insertAuditEntry(tx, ctx, {
      action: 'admin.link_oidc',
      outcome: 'success',
      actor: { admin: session.admin, key: null },
      resource: `admin:${adminId}`,
      details: { provider: provider.id, issuer: claims.iss },
    });
    return null;
  });
  if (refused) return failTo(ctx, provider, intent, logFailure(ctx, provider, refused.error, refused.reason));
  await recordWrite({ session: { id: sessionId }, key: null });
  return { location: signedInPage(page('/account', { linked: provider.id })) };
}

const USED = { error: 'expired', reason: 'the callback was used before' } as const;
const LINK_REFUSALS = {
  identity_taken: 'another admin has the identity',
  already_linked: 'the admin has an identity already',
} as const;

async function failTo(
  ctx: Context,
  provider: Provider,
  intent: Intent | null,
  { error, reason }: Refused,
  email?: string,
): Promise<Redirection> {
  const isLink = intent?.purpose === 'link';
  if (!isLink) countSignInFailure('oidc');
  const entry = {
    action: isLink ? 'admin.link_oidc' : 'session.create',
    outcome: 'denied',
    actor: null,
    email,
    resource: isLink ? `admin:${intent.adminId}` : 'session',
    details: { method: 'oidc', provider: provider.id, code: error, reason },
  } as const;
  await recordDeniedAttempt(ctx.db, ctx, entry, null);
  if (isLink && error !== 'session_ended') return { location: signedInPage(page('/account', { error })) };
  const next = intent?.purpose === 'sign-in' ? intent.next : '/';
  return { location: page('/login', { error, next }) };
}

function pageAfter(passed: LoggedIn | TotpPending, next: string): string {
  if (!('requires_totp' in passed)) return signedInPage(next);
  // Browsers never send a fragment to a server, so it is in no log.
  return `${page('/login', { next })}#${new URLSearchParams({ totp_session: passed.totp_session })}`;
}

/** Browsers don't send a Strict cookie after a redirect from another site, so this page navigates on its own. */
function signedInPage(next: string): string {
  return page('/signed-in', { next });
}

function nextPath(next: string | undefined): string {
  const path = safeNextPath(next);
  return path.length <= 1024 ? path : '/';
}

function page(path: string, query: Record<string, string>): string {
  return `${path}?${new URLSearchParams(query)}`;
}

// Stored with the rate limit counters, which are keyed, expire, and are shared by all instances.
const PREFIX = 'oidc-state:';

/** Marks a `state` as used. Of two callbacks with one `state` one wins, even if both have the cookies. */
async function consumeState(tx: Tx, { state, expiresAt }: Intent): Promise<boolean> {
  const key = `${PREFIX}${Buffer.from(sha256(state)).toString('hex')}`;
  const data = { key, points: 1, expire: expiresAt };
  const { count } = await tx.rateLimit.createMany({ data, skipDuplicates: true });
  return count === 1;
}

async function forgetOldStates(db: Database, now: Date): Promise<void> {
  await db.rateLimit.deleteMany({ where: { key: { startsWith: PREFIX }, expire: { lt: now.getTime() } } });
}
