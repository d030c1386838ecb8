import { suppressionAddress } from '@/lib/mail/suppression';
import { uuidv7 } from '@/lib/uuid';
import { type AuthorizedDomain, authorizeDomain, domainFilter, isScoped, requireRole } from '@/server/access/authorize';
import { isForeignKeyViolation, notFoundIfMissing, type Tx } from '@/server/database/db';
import { keepDeleted } from '@/server/deleted-records/keep';
import { type DeletedRecord, restoreRows } from '@/server/deleted-records/restore';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginateFrom } from '@/server/pagination';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { countSuppressions, findSuppressions, type Row } from './find-suppressions';
import { type ListSuppressions, suppressionList } from './lists';
import type { CreateSuppression, Suppression } from './schema';

const MANY_ROWS = { timeoutMs: 60_000 };

/** @throws the errors of authorizeDomain, if `domain_id` is given */
export async function listSuppressions(ctx: ActorContext, input: ListSuppressions): Promise<Page<Suppression>> {
  if (input.domain_id) await authorizeDomain(ctx, { id: input.domain_id }, { allowInactive: true });
  return paginateFrom(suppressionList, input, {
    fetch: (position) => findSuppressions(ctx, input, position),
    count: () => countSuppressions(ctx, input),
    present,
  });
}

export async function getSuppression(ctx: ActorContext, { id }: { id: string }): Promise<Suppression> {
  return present(await requireSuppression(ctx, ctx.db, id));
}

/** Takes effect with the next message. @throws CONFLICT if it exists; FORBIDDEN, API_KEY_DOMAIN_SCOPE or the errors of authorizeDomain */
export async function createSuppression(ctx: MutationContext, input: CreateSuppression): Promise<Suppression> {
  const domain = await authorizeOwner(ctx, input.domain_id);
  const { email, reason, list, detail, expires_at: expiresAt } = input;
  return ctx
    .transaction(async ({ tx, audit }) => {
      const given = { email, reason, list, detail, expiresAt };
      const [created] = await insertSuppressions(tx, ctx, domain, [given]);
      if (!created) throw alreadySuppressed(email, list, domain);
      const suppression = present(await requireSuppression(ctx, tx, created.id));
      await audit({
        resource: `suppression:${suppression.id}`,
        domainId: domain?.id ?? null,
        before: null,
        after: suppression,
      });
      return suppression;
    })
    .catch(rethrowDeletedDomain);
}

/** The address gets mail again, unless another suppression holds. */
export async function deleteSuppression(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit }) => {
    const row = await requireSuppression(ctx, tx, id);
    await keepDeleted(ctx, tx, { kind: 'suppression', id, name: row.email, domainId: row.domainId });
    await tx.suppression.delete({ where: { id }, select: { id: true } }).catch(notFoundIfMissing('suppression'));
    await audit({ resource: `suppression:${id}`, domainId: row.domainId, before: present(row), after: null });
    return { message: `Suppression of ${row.email} deleted.` };
  });
}

/** Restores one or several suppressions. One that exists again stays as it is. */
export async function restoreSuppressions(ctx: MutationContext, record: DeletedRecord): Promise<void> {
  const { id, name, domainId } = record;
  await authorizeOwner(ctx, domainId);
  await ctx
    .transaction(async ({ tx, audit }) => {
      // An expired suppression would keep its place until it is cleaned up.
      await tx.$executeRaw`
        DELETE FROM suppression s USING deleted_row kept
         WHERE kept.record_id = ${id}::uuid AND kept."table" = 'suppression' AND s.email = kept."row"->>'email'
           AND s.domain_id IS NOT DISTINCT FROM ${domainId}::uuid AND s.expires_at <= ${ctx.clock.now()}`;
      await restoreRows(tx, record);
      await audit({ resource: `suppression:${id}`, domainId, before: null, after: { id, email: name } });
    }, MANY_ROWS)
    .catch(rethrowDeletedDomain);
}

export type NewSuppression = Pick<CreateSuppression, 'email' | 'reason' | 'list' | 'detail'> & {
  expiresAt: string | null;
};

/**
 * Adds suppressions of mail of a domain, or of all domains. One that has expired is replaced; any other that exists stays as
 * it is. @returns those that were added
 */
export async function insertSuppressions(
  tx: Tx,
  { actor, clock }: ActorContext,
  domain: AuthorizedDomain | null,
  given: NewSuppression[],
): Promise<{ id: string; email: string; reason: string; list: string | null }[]> {
  const rows = given.map(({ expiresAt, ...row }) => {
    return { id: uuidv7(), ...row, expires_at: expiresAt };
  });
  return tx.$queryRaw`
    INSERT INTO suppression AS existing (id, email, domain_id, reason, list, detail, created_by, created_at, expires_at)
    SELECT id, email, ${domain?.id ?? null}::uuid, reason, list, detail, ${actor.admin.id}::uuid, ${clock.now()}, expires_at
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given(id uuid, email text, reason suppression_reason, list text, detail text,
                                                                       expires_at timestamptz)
     ORDER BY email, reason, list
        ON CONFLICT (email, domain_id, reason, list) DO UPDATE
       SET id = excluded.id, detail = excluded.detail, source_message_id = NULL, created_by = excluded.created_by,
           created_at = excluded.created_at, expires_at = excluded.expires_at
     WHERE existing.expires_at <= ${clock.now()}
    RETURNING id, email, reason::text AS reason, list`;
}

type Suppressed = {
  email: string;
  domainId: string;
  reason: 'complaint' | 'unsubscribe';
  list: string | null;
  sourceMessageId: string | null;
  detail: string;
  at: Date;
};

/** Suppresses an address because of what its owner said about a message. One that exists stays as it is, unless it has expired. @returns whether it was added */
export async function suppressFrom(
  tx: Tx,
  { email, domainId, reason, list, sourceMessageId, detail, at }: Suppressed,
): Promise<boolean> {
  const added = await tx.$executeRaw`
    INSERT INTO suppression AS existing (id, email, domain_id, reason, list, source_message_id, detail, created_at)
    VALUES (${uuidv7()}::uuid, ${suppressionAddress(email)}, ${domainId}::uuid, ${reason}::suppression_reason, ${list},
            ${sourceMessageId}::uuid, ${detail}, ${at})
        ON CONFLICT (email, domain_id, reason, list) DO UPDATE
       SET id = excluded.id, source_message_id = excluded.source_message_id, detail = excluded.detail, created_by = NULL,
           created_at = excluded.created_at, expires_at = NULL
     WHERE existing.expires_at <= excluded.created_at`;
  return added > 0;
}

/** Ends what {@link suppressFrom} began for a mailing list. @returns whether there was anything */
export async function endUnsubscription(
  tx: Tx,
  { email, domainId, list }: Pick<Suppressed, 'email' | 'domainId'> & { list: string },
): Promise<boolean> {
  const where = { email: suppressionAddress(email), domainId, list, reason: 'unsubscribe' as const };
  return (await tx.suppression.deleteMany({ where })).count > 0;
}

/** Whether the owner of the address has unsubscribed from a mailing list, of this domain or of all. */
export async function isUnsubscribed(
  db: Tx,
  { email, domainId, list, at }: Pick<Suppressed, 'email' | 'domainId' | 'at'> & { list: string },
): Promise<boolean> {
  const where = { email: suppressionAddress(email), list, reason: 'unsubscribe' as const };
  const holds = [{ OR: [{ expiresAt: null }, { expiresAt: { gt: at } }] }, { OR: [{ domainId }, { domainId: null }] }];
  return (await db.suppression.count({ where: { ...where, AND: holds } })) > 0;
}

/**
 * Checks that the caller may suppress mail of a domain, or of all domains if there is none.
 * @throws FORBIDDEN, API_KEY_DOMAIN_SCOPE, the errors of authorizeDomain
 */
export async function authorizeOwner(ctx: ActorContext, domainId: string | null): Promise<AuthorizedDomain | null> {
  if (domainId !== null) return authorizeDomain(ctx, { id: domainId });
  requireRole(ctx.actor, 'admin');
  if (!isScoped(ctx.actor)) return null;
  const message = 'This API key is scoped to domains. Set `domain_id` to one of them.';
  throw new AppError('API_KEY_DOMAIN_SCOPE', message, { details: { fields: [{ path: 'domain_id', message }] } });
}

export function rethrowDeletedDomain(error: unknown): never {
  if (isForeignKeyViolation(error)) throw new AppError('DOMAIN_NOT_FOUND', 'The domain was deleted in the meantime.');
  throw error;
}

export async function deleteExpiredSuppressions(db: Tx, now: Date): Promise<void> {
  await db.suppression.deleteMany({ where: { expiresAt: { lte: now } } });
}

function alreadySuppressed(email: string, list: string | null, domain: AuthorizedDomain | null): AppError {
  const scope = `${list === null ? '' : `the list ${list} of `}${domain?.name ?? 'all domains'}`;
  const message = `${email} is already suppressed for this reason, for ${scope}.`;
  return new AppError('CONFLICT', message, { details: { fields: [{ path: 'email', message }] } });
}

/** Suppressions of all domains have no domain, so only callers with access to every domain see them. */
async function requireSuppression({ actor }: ActorContext, db: Tx, id: string): Promise<Row> {
  const row = await db.suppression.findFirst({
    where: { AND: [{ id }, domainFilter(actor)] },
    omit: { searchKey: true },
    include: { domain: { select: { name: true } } },
  });
  if (!row) throw notFound('suppression');
  return { ...row, domain: row.domain?.name ?? null };
}

function present(row: Row): Suppression {
  return {
    id: row.id,
    email: row.email,
    domain_id: row.domainId,
    domain: row.domain,
    reason: row.reason,
    list: row.list,
    source_message_id: row.sourceMessageId,
    detail: row.detail,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
  };
}
