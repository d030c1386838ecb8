import { MAX_ACTIVE_FILTERS, MAX_FILTERS } from '@/lib/mail/sieve';
import type { SieveError } from '@/mail/agent/requests';
import { askAgent } from '@/modules/mail-server/service';
import { requireMailbox } from '@/modules/mailboxes/service';
import { accessibleDomainIds, authorizeDomain, isScoped, requireRole } from '@/server/access/authorize';
import { lockKeys } from '@/server/database/advisory-locks';
import { isForeignKeyViolation, notFoundIfMissing, type Tx } from '@/server/database/db';
import { keepDeleted } from '@/server/deleted-records/keep';
import { type DeletedRecord, keptRow, restoreRows } from '@/server/deleted-records/restore';
import { AppError, notFound } from '@/server/errors';
import { escapeLike } from '@/server/list/search-key';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { type ListSieveFilters, sieveFilterList } from './lists';
import {
  type CreateSieveFilter,
  MAX_POSITION,
  type SieveFilter,
  type SieveVerdict,
  type UpdateSieveFilter,
  type ValidateSieve,
} from './schema';

/** @throws the errors of authorizeDomain, if `domain_id` is given */
export async function listSieveFilters(ctx: ActorContext, input: ListSieveFilters): Promise<Page<SieveFilter>> {
  const { scope, domain_id: domainId, mailbox_id: mailboxId, active, q } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const name = q ? { contains: escapeLike(q), mode: 'insensitive' as const } : undefined;
  const filters = {
    AND: [accessFilter(ctx), domainId ? ofDomains([domainId]) : {}, { scope, mailboxId, active, name }],
  };
  return paginate(sieveFilterList, input, {
    fetch: ({ where, ...page }) =>
      ctx.db.sieveFilter.findMany({ ...page, select: FIELDS, where: { AND: [where, filters] } }),
    count: (take) => ctx.db.sieveFilter.count({ where: filters, take }),
    present,
  });
}

export async function getSieveFilter(ctx: ActorContext, { id }: { id: string }): Promise<SieveFilter> {
  return present(await requireFilter(ctx, ctx.db, id));
}

/** Takes effect with the next message. @throws VALIDATION_ERROR if the script does not compile */
export async function createSieveFilter(ctx: MutationContext, input: CreateSieveFilter): Promise<SieveFilter> {
  const owner = await authorizeOwner(ctx, input);
  await requireCompiles(ctx, input.script);
  const { name, script, active } = input;
  return ctx
    .transaction(async ({ tx, audit }) => {
      const { last } = await requireCapacity(tx, owner, { all: 1, active: Number(active) });
      const position = input.position ?? Math.min(last + 1, MAX_POSITION);
      const data = { ...owner, name, script, active, position, createdAt: ctx.clock.now() };
      const row = await tx.sieveFilter.create({ data, select: FIELDS });
      const filter = present(row);
      await audit({ resource: `sieve_filter:${row.id}`, domainId: domainOf(row), before: null, after: filter });
      return filter;
    })
    .catch((error) => {
      throw isForeignKeyViolation(error) ? ownerNotFound(owner) : error;
    });
}

/** Restores a deleted filter. Its script compiled when it was saved. @throws the errors of createSieveFilter */
export async function restoreSieveFilter(ctx: MutationContext, record: DeletedRecord): Promise<void> {
  const kept = await keptRow<Pick<SieveFilter, 'scope' | 'domain_id' | 'mailbox_id' | 'active'>>(ctx.db, record);
  const owner = await authorizeOwner(ctx, kept);
  await ctx
    .transaction(async ({ tx, audit }) => {
      await requireCapacity(tx, owner, { all: 1, active: Number(kept.active) });
      await restoreRows(tx, record);
      const row = await requireFilter(ctx, tx, record.id);
      await audit({
        resource: `sieve_filter:${record.id}`,
        domainId: domainOf(row),
        before: null,
        after: present(row),
      });
    })
    .catch((error) => {
      throw isForeignKeyViolation(error) ? ownerNotFound(owner) : error;
    });
}

function ownerNotFound({ scope }: Owner): AppError {
  if (scope === 'mailbox') return notFound('mailbox');
  return new AppError('DOMAIN_NOT_FOUND', 'The domain was deleted in the meantime.');
}

/** Changes only the supplied fields. An unchanged script needs no mail server. */
export async function updateSieveFilter(ctx: MutationContext, input: UpdateSieveFilter): Promise<SieveFilter> {
  const { id, name, script, active, position } = input;
  const known = await requireFilter(ctx, ctx.db, id);
  if (script !== undefined && script !== known.script) await requireCompiles(ctx, script);
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    const { scope, domainId, mailboxId } = known;
    const owner = { scope, domainId, mailboxId };
    await lockScope(tx, owner);
    await requireVersion();
    const row = await requireFilter(ctx, tx, id);
    if (active && !row.active) await requireCapacity(tx, owner, { all: 0, active: 1 });
    const data = { name, script, active, position };
    const after = present(
      await tx.sieveFilter.update({ where: { id }, data, select: FIELDS }).catch(notFoundIfMissing('filter')),
    );
    await audit({ resource: `sieve_filter:${id}`, domainId: domainOf(row), before: present(row), after });
    return after;
  });
}

export async function deleteSieveFilter(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const row = await requireFilter(ctx, tx, id);
    await keepDeleted(ctx, tx, { kind: 'sieve_filter', id, name: row.name, domainId: domainOf(row) });
    await tx.sieveFilter.delete({ where: { id }, select: { id: true } });
    await audit({ resource: `sieve_filter:${id}`, domainId: domainOf(row), before: present(row), after: null });
    return { message: `Filter ${row.name} deleted.` };
  });
}

/** Saves nothing. The audit entry records the check. */
export async function validateSieve(ctx: MutationContext, { script }: ValidateSieve): Promise<SieveVerdict> {
  const { errors } = await askAgent(ctx.db, 'sieve.check', { script });
  const valid = errors.length === 0;
  await ctx.auditAlone({ resource: 'sieve_filter', details: { valid } });
  return { valid, errors };
}

/** Call outside transactions. @throws MAIL_STACK_UNAVAILABLE if the script can't be checked */
async function requireCompiles(ctx: MutationContext, script: string): Promise<void> {
  const { errors } = await askAgent(ctx.db, 'sieve.check', { script });
  if (errors.length === 0) return;
  const message = errors.map(errorText)[0] ?? '';
  throw new AppError('VALIDATION_ERROR', `The script does not compile. ${message}`, {
    details: { fields: [{ path: 'script', message }], errors },
  });
}

function errorText({ line, message }: SieveError): string {
  return line === null ? message : `Line ${line}: ${message}`;
}

type Owner = Pick<Row, 'scope' | 'domainId' | 'mailboxId'>;

/** @throws FORBIDDEN, API_KEY_DOMAIN_SCOPE, the errors of authorizeDomain, NOT_FOUND for a mailbox without access */
async function authorizeOwner(
  ctx: ActorContext,
  input: Pick<CreateSieveFilter, 'scope'> & { domain_id?: string | null; mailbox_id?: string | null },
): Promise<Owner> {
  const { scope, domain_id: domainId, mailbox_id: mailboxId } = input;
  if (scope === 'mailbox' && mailboxId) {
    const mailbox = await requireMailbox(ctx, ctx.db, mailboxId);
    await authorizeDomain(ctx, { id: mailbox.domainId });
    return { scope, domainId: null, mailboxId };
  }
  if (scope === 'domain' && domainId) {
    await authorizeDomain(ctx, { id: domainId });
    return { scope, domainId, mailboxId: null };
  }
  requireRole(ctx.actor, 'admin');
  if (isScoped(ctx.actor)) {
    throw new AppError('API_KEY_DOMAIN_SCOPE', 'A domain-scoped API key can’t create filters for all mail.');
  }
  return { scope, domainId: null, mailboxId: null };
}

/** Locks the scope, so that concurrent calls can't exceed its limits together. @throws CONFLICT at a limit */
async function requireCapacity(tx: Tx, owner: Owner, more: { all: number; active: number }): Promise<{ last: number }> {
  await lockScope(tx, owner);
  const [all, active] = await Promise.all([
    tx.sieveFilter.aggregate({ where: owner, _count: true, _max: { position: true } }),
    tx.sieveFilter.count({ where: { ...owner, active: true } }),
  ]);
  if (all._count + more.all > MAX_FILTERS)
    throw limitReached(`This scope already has ${MAX_FILTERS} filters`, MAX_FILTERS);
  if (active + more.active > MAX_ACTIVE_FILTERS && more.active > 0) {
    throw limitReached(`This scope already has ${MAX_ACTIVE_FILTERS} active filters`, MAX_ACTIVE_FILTERS);
  }
  return { last: all._max.position ?? 0 };
}

async function lockScope(tx: Tx, { domainId, mailboxId }: Owner): Promise<void> {
  await lockKeys(tx, 'sieveFiltersOfScope', [domainId ?? mailboxId ?? 'global']);
}

function limitReached(message: string, limit: number): AppError {
  return new AppError('CONFLICT', `${message}. Delete or deactivate one, or merge two.`, {
    details: { limit },
  });
}

async function requireFilter(ctx: ActorContext, db: Tx, id: string): Promise<Row> {
  const row = await db.sieveFilter.findFirst({ where: { AND: [{ id }, accessFilter(ctx)] }, select: FIELDS });
  if (!row) throw notFound('filter');
  return row;
}

/** Filters for all mail have no domain, so only callers with access to every domain see them. */
function accessFilter({ actor }: ActorContext): Prisma.SieveFilterWhereInput {
  const ids = accessibleDomainIds(actor);
  return ids ? ofDomains(ids) : {};
}

function ofDomains(ids: string[]): Prisma.SieveFilterWhereInput {
  return { OR: [{ domainId: { in: ids } }, { mailbox: { domainId: { in: ids } } }] };
}

/** Another call deleted the filter in the meantime. */
const FIELDS = {
  id: true,
  scope: true,
  domainId: true,
  mailboxId: true,
  name: true,
  script: true,
  active: true,
  position: true,
  createdAt: true,
  updatedAt: true,
  domain: { select: { name: true } },
  mailbox: { select: { localPart: true, domainId: true, domain: { select: { name: true } } } },
} satisfies Prisma.SieveFilterSelect;

type Row = Prisma.SieveFilterGetPayload<{ select: typeof FIELDS }>;

function domainOf({ domainId, mailbox }: Pick<Row, 'domainId' | 'mailbox'>): string | null {
  return domainId ?? mailbox?.domainId ?? null;
}

function present({ mailbox, ...row }: Row): SieveFilter {
  return {
    id: row.id,
    scope: row.scope,
    domain_id: row.domainId,
    mailbox_id: row.mailboxId,
    domain: row.domain?.name ?? mailbox?.domain.name ?? null,
    mailbox: mailbox && `${mailbox.localPart}@${mailbox.domain.name}`,
    name: row.name,
    script: row.script,
    active: row.active,
    position: row.position,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
