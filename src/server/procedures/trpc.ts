import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Role } from '@/lib/roles';
import type { Actor } from '../access/actor';
import { isScoped, requireRole } from '../access/authorize';
import { insertAuditEntry, refusalEntry } from '../audit';
import { database } from '../db';
import { recordDeniedAttempt } from '../denied-attempts';
import { AppError } from '../errors';
import { limitReads } from '../limits/concurrent-reads';
import { limitAddress, limitKey, limitLogin } from '../limits/rate-limit';
import { publicError } from '../public-error';
import { databaseFor, recordWrite } from '../replica/reads';
import type { ProcedureMeta } from '../rest/meta';
import { invalidInput } from '../validation';
import type { Context } from './context';
import { auditedWrites, NO_WRITES } from './mutation';

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    errorFormatter: ({ shape, error, ctx }) => {
      const { code, message, details, status } = publicError(error);
      return {
        ...shape,
        message,
        data: { apiCode: code, details, requestId: ctx?.request.id ?? null, httpStatus: status },
      };
    },
  });

export const router = t.router;

/**
 * The first checks of every call, in the order of docs/api-contract.md: rate limit by address and sign-in throttle,
 * credentials, the key's own limit. REST runs them before it reads the body.
 */
export async function admit(ctx: Context, meta: ProcedureMeta): Promise<{ actor: Actor | null }> {
  if (!meta.isUnlimited) await limitAddress(ctx);
  if (meta.isLogin) await limitLogin(ctx);
  if (!meta.access) return { actor: null };
  const actor = await ctx.identify();
  if (actor.key) await limitKey(ctx, actor.key);
  return { actor };
}

const admitted = t.middleware(async ({ ctx, meta, next }) => {
  const { actor } = ctx.admission ?? (await admit(ctx, meta ?? {}));
  return next({ ctx: { actor } });
});

const signedIn = t.middleware(async ({ ctx, meta, next }) => {
  const { actor } = ctx.admission ?? (await admit(ctx, meta ?? {}));
  if (!actor) throw new AppError('AUTH_REQUIRED', 'Sign in first.');
  return next({ ctx: { actor } });
});

/** Runs before `.input(schema)` and turns its errors into the API's own. */
function withInputErrors(schema: z.ZodType) {
  return t.middleware(async ({ getRawInput, next }) => {
    const result = await next();
    if (!result.ok && result.error.code === 'BAD_REQUEST' && result.error.cause instanceof z.ZodError) {
      throw invalidInput(result.error.cause, await getRawInput(), schema);
    }
    return result;
  });
}

/** Checks role, key scope and origin, after the fields. Rejections are audited. */
const authorized = t.middleware(async ({ ctx, meta, type, next }) => {
  const { actor } = ctx as Context & { actor: Actor };
  if (type === 'mutation' && actor.session && !ctx.isSameOrigin) {
    throw new AppError('FORBIDDEN', 'Sessions can make changes from the console only. Use an API key.');
  }
  if (meta?.access) requireRole(actor, meta.access);
  if (actor.key && meta?.isSessionOnly) {
    throw new AppError('CONFLICT', 'API keys can’t do this. Sign in instead.');
  }
  if (isScoped(actor) && !meta?.isOpenToScopedKeys) {
    throw new AppError('API_KEY_DOMAIN_SCOPE', 'A domain-scoped API key can’t use this endpoint.');
  }
  return next();
});

/**
 * Gives a query connections of its own, to a replica if possible, and a mutation what it writes with. A mutation that records no audit entry fails.
 * Rejected calls (403, 404, 409) are recorded too, unless the verb recorded an entry itself.
 */
const audited = t.middleware(async ({ ctx, meta, type, path, input, next }) => {
  const { actor } = ctx as Context & { actor: Actor | null };
  if (type !== 'mutation') {
    const read = async () => {
      const isOnPrimary = meta?.isReadOnPrimary || meta?.isWriting;
      const result = await next({ ctx: { ...NO_WRITES, db: isOnPrimary ? database() : await databaseFor(actor) } });
      if (meta?.isWriting && actor) await recordWrite(actor);
      return result;
    };
    return actor ? limitReads(actor.admin.id, read, meta?.isAgentRead ? 'agent' : 'database') : read();
  }
  const action = meta?.audit;
  if (!action) throw new Error(`the mutation ${path} names no audit action`);
  const { writes, isRecorded } = auditedWrites(ctx, { path, action, actor });
  const result = await next({ ctx: writes });
  if (result.ok && !isRecorded()) throw new Error(`the mutation ${path} recorded no audit entry`);
  const error = result.ok ? null : result.error;
  if (error instanceof AppError && AUDITED_REFUSALS.has(error.status) && !isRecorded()) {
    const record = actor ? insertAuditEntry : recordDeniedAttempt;
    await record(ctx.db, ctx, refusalEntry(action, actor, input, error));
  }
  if (actor) await recordWrite(actor);
  return result;
});

const AUDITED_REFUSALS = new Set([403, 404, 409]);

/** Procedure builders by role: public → authed → admin → superAdmin. Fields are checked before role and scope. */
export function publicProcedure<Input extends z.ZodType>(input: Input) {
  return t.procedure.use(admitted).use(withInputErrors(input)).input(input).use(audited);
}

export function authedProcedure<Input extends z.ZodType>(input: Input) {
  return signedInProcedure('domain_admin', input);
}

export function adminProcedure<Input extends z.ZodType>(input: Input) {
  return signedInProcedure('admin', input);
}

export function superAdminProcedure<Input extends z.ZodType>(input: Input) {
  return signedInProcedure('super_admin', input);
}

function signedInProcedure<Input extends z.ZodType>(access: Role, input: Input) {
  return t.procedure
    .meta({ access })
    .use(signedIn)
    .use(withInputErrors(input))
    .input(input)
    .use(audited)
    .use(authorized);
}
