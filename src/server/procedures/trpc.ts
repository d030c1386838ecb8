import { initTRPC, type TRPCError } from '@trpc/server';
import { z } from 'zod';
import type { Role } from '@/lib/access/roles';
import type { Actor } from '../access/actor';
import { isScoped, requireAllowedAddress, requirePermission, requireRole } from '../access/authorize';
import { refusalEntry } from '../audit';
import { database } from '../database/db';
import { recordDeniedAttempt } from '../denied-attempts';
import { AppError } from '../errors';
import { limitReads } from '../limits/concurrent-reads';
import { limitAddress, limitKey, limitLogin } from '../limits/rate-limit';
import { publicError } from '../public-error';
import { databaseFor, recordWrite } from '../replica/reads';
import type { ProcedureMeta } from '../rest/meta';
import { invalidInput, normalized, requireStorableText } from '../validation';
import type { Context } from './context';
import { auditedWrites, NO_WRITES } from './mutation';
import { type Condition, invalidIfMatch, readIfMatch } from './versions';

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
  if (actor.key) {
    requireAllowedAddress(actor.key, ctx.request.ip);
    await limitKey(ctx, actor.key);
  }
  return { actor };
}

// Each middleware copies the context and the options of the call, so there are two: what comes before the fields are checked,
// and what comes after.

function admitted(schema: z.ZodType) {
  return t.middleware(async ({ ctx, meta, getRawInput, next }) => {
    const { actor } = ctx.admission ?? (await admit(ctx, meta ?? {}));
    return withOwnErrors(await next(callOf({ actor }, schema, getRawInput)), schema, getRawInput);
  });
}

function signedIn(schema: z.ZodType) {
  return t.middleware(async ({ ctx, meta, getRawInput, next }) => {
    const { actor } = ctx.admission ?? (await admit(ctx, meta ?? {}));
    if (!actor) throw new AppError('AUTH_REQUIRED', 'Sign in first.');
    return withOwnErrors(await next(callOf({ actor }, schema, getRawInput)), schema, getRawInput);
  });
}

/**
 * Returns the options of `next`: the context, and the input as the schema expects it. The type of `next` accepts only one of both.
 */
function callOf<Own>(ctx: Own, schema: z.ZodType, getRawInput: () => Promise<unknown>): { ctx: Own } {
  return Object.assign({ ctx }, { getRawInput: async () => normalized(await getRawInput(), schema) });
}

/** The result, unless the fields failed `.input(schema)`: then the API's own error is thrown. */
async function withOwnErrors<Result extends { ok: true } | { ok: false; error: TRPCError }>(
  result: Result,
  schema: z.ZodType,
  getRawInput: () => Promise<unknown>,
): Promise<Result> {
  if (!result.ok && result.error.code === 'BAD_REQUEST' && result.error.cause instanceof z.ZodError) {
    throw invalidInput(result.error.cause, await getRawInput(), schema);
  }
  return result;
}

/** Checks origin, role and key scope. @throws FORBIDDEN, CONFLICT, API_KEY_DOMAIN_SCOPE */
function authorize(actor: Actor, { isSameOrigin }: Context, meta: ProcedureMeta, type: string): void {
  // A query that takes a body is called like a change.
  const isPosted = type === 'mutation' || meta.openapi?.method === 'POST';
  if (isPosted && actor.session && !isSameOrigin) {
    throw new AppError('FORBIDDEN', 'Sessions can make changes from the console only. Use an API key.');
  }
  if (meta.access) requireRole(actor, meta.access);
  if (actor.key && meta.isSessionOnly) {
    throw new AppError('CONFLICT', 'API keys can’t do this. Sign in instead.');
  }
  const { permission = type === 'mutation' ? 'manage' : 'read' } = meta;
  if (permission) requirePermission(actor, permission);
  if (isScoped(actor) && !meta.isOpenToScopedKeys) {
    throw new AppError('API_KEY_DOMAIN_SCOPE', 'A domain-scoped API key can’t use this endpoint.');
  }
}

/**
 * Checks that all text can be stored, and authorizes the call. Gives a query connections of its own, to a replica if possible, and a mutation what
 * it writes with. A mutation that records no audit entry fails. Rejected calls (403, 404, 409, 412, 422) are recorded too, unless the
 * verb recorded an entry itself.
 */
const audited = t.middleware(async ({ ctx, meta = {}, type, path, input, next }) => {
  const { actor } = ctx as Context & { actor: Actor | null };
  requireStorableText(input);
  if (type !== 'mutation') {
    if (actor) authorize(actor, ctx, meta, type);
    const read = async () => {
      const isOnPrimary = meta.isReadOnPrimary || meta.isWriting;
      const result = await next({ ctx: { ...NO_WRITES, db: isOnPrimary ? database() : await databaseFor(actor) } });
      if (meta.isWriting && actor) await recordWrite(actor);
      return result;
    };
    return actor ? limitReads(actor.admin.id, read, meta.isAgentRead ? 'agent' : 'database') : read();
  }
  const action = meta.audit;
  if (!action) throw new Error(`the mutation ${path} names no audit action`);
  const condition = conditionOf(ctx, meta, actor, input);
  const { writes, isRecorded } = auditedWrites(ctx, { path, action, actor, condition });
  const recordRefusal = async (error: unknown) => {
    if (!(error instanceof AppError) || !AUDITED_REFUSALS.has(error.status) || isRecorded()) return;
    await recordDeniedAttempt(ctx.db, ctx, refusalEntry(action, actor, input, error), actor);
  };
  try {
    if (actor) authorize(actor, ctx, meta, type);
  } catch (error) {
    await recordRefusal(error);
    if (actor) await recordWrite(actor);
    throw error;
  }
  const result = await next({ ctx: writes });
  if (result.ok && !isRecorded()) throw new Error(`the mutation ${path} recorded no audit entry`);
  if (!result.ok) await recordRefusal(result.error);
  if (actor) await recordWrite(actor);
  return result;
});

const AUDITED_REFUSALS = new Set([403, 404, 409, 412, 422]);

/** Returns the condition of `If-Match`. PATCH, DELETE and what else changes a versioned record take it; the other calls ignore it. @throws VALIDATION_ERROR */
function conditionOf({ ifMatch }: Context, meta: ProcedureMeta, actor: Actor | null, input: unknown): Condition | null {
  const { versioned, openapi } = meta;
  const isEdit = openapi?.method === 'PATCH' || openapi?.method === 'DELETE';
  if (ifMatch === null || (!isEdit && !versioned)) return null;
  if (!versioned) throw invalidIfMatch('What this endpoint changes has no version. Leave the header out.');
  const accepted = readIfMatch(ifMatch);
  // A record without an id of its own, such as the profile, is the caller's.
  const { id = actor?.admin.id ?? '' } = input as { id?: string };
  return { record: versioned, accepted, id };
}

/** Procedure builders by role: public → authed → admin → superAdmin. Fields are checked before role and scope. */
export function publicProcedure<Input extends z.ZodType>(input: Input) {
  return t.procedure.use(admitted(input)).input(input).use(audited);
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
  return t.procedure.meta({ access }).use(signedIn(input)).input(input).use(audited);
}
