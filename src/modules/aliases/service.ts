import { type AuthorizedDomain, authorizeDomain, domainFilter } from '@/server/access/authorize';
import { notFoundIfMissing, type Tx, violatedConstraint } from '@/server/database/db';
import { keepDeleted } from '@/server/deleted-records/keep';
import { type DeletedRecord, keptRow, restoreRows } from '@/server/deleted-records/restore';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginateFrom } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { AuditedTransaction, MutationContext } from '@/server/procedures/mutation';
import { countAliases, findAlias, findAliases } from './find-aliases';
import { aliasList, type ListAliases } from './lists';
import type { Alias, AliasWarning, CreateAlias, UpdateAlias } from './schema';
import { findWarnings } from './warnings';
import { domainNotFound, rejectChain, waitForAliasWrites, writeAliases } from './writes/chains';

/** @throws MISSING_FIELDS if a domain_admin gives no domain_id; the errors of authorizeDomain */
export async function listAliases(ctx: ActorContext, input: ListAliases): Promise<Page<Alias>> {
  const { domain_id: domainId } = input;
  if (!domainId && ctx.actor.admin.role === 'domain_admin') {
    throw new AppError('MISSING_FIELDS', 'Required fields are missing: domain_id.', {
      details: {
        fields: [
          {
            path: 'domain_id',
            message: 'Required for the role domain_admin, which lists the aliases of one domain at a time.',
          },
        ],
      },
    });
  }
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const found = await paginateFrom(aliasList, input, {
    fetch: (position) => findAliases(ctx, input, position),
    count: () => countAliases(ctx, input),
    present: (row: Row) => row,
  });
  return { ...found, items: await withWarnings(ctx.db, found.items) };
}

export async function getAlias(ctx: ActorContext, { id }: { id: string }): Promise<Alias> {
  const found = await findAlias(ctx, id);
  if (!found) throw notFound('alias');
  return present(found.row, found.warnings);
}

/** Takes effect when the transaction commits: the mail server queries the database for every address. */
export async function createAlias(ctx: MutationContext, input: CreateAlias): Promise<Alias> {
  const domain = await authorizeDomain(ctx, { id: input.domain_id });
  const { source_local_part: sourceLocalPart, destination, active } = input;
  const create = async ({ tx, audit }: AuditedTransaction) => {
    await requireAliasCapacity(tx, domain);
    await rejectChain(tx, `${sourceLocalPart}@${domain.name}`, destination, true);
    const data = { domainId: domain.id, sourceLocalPart, destination, active, createdAt: ctx.clock.now() };
    const alias = await presentOne(tx, await tx.alias.create({ data, select: FIELDS }));
    await audit({ resource: `alias:${alias.id}`, domainId: domain.id, before: null, after: alias });
    return alias;
  };
  const touched = { domainId: domain.id, destinations: [destination] };
  return writeAliases(ctx, (write) => write(touched, create)).catch((error) => {
    throw violatedConstraint(error) === null ? error : aliasExists(sourceLocalPart, domain.name);
  });
}

/** Changes only the supplied fields. */
export async function updateAlias(ctx: MutationContext, { id, destination, active }: UpdateAlias): Promise<Alias> {
  const { domainId } = await requireAlias(ctx, ctx.db, id);
  const update = async ({ tx, audit, requireVersion }: AuditedTransaction) => {
    await requireVersion();
    const row = await requireAlias(ctx, tx, id);
    const before = await presentOne(tx, row);
    if (destination !== undefined) {
      await rejectChain(tx, `${row.sourceLocalPart}@${row.domain.name}`, destination, false);
    }
    const data = { destination, active };
    const after = await presentOne(
      tx,
      await tx.alias.update({ where: { id }, data, select: FIELDS }).catch(notFoundIfMissing('alias')),
    );
    await audit({ resource: `alias:${id}`, domainId: row.domainId, before, after });
    return after;
  };
  const destinations = destination === undefined ? [] : [destination];
  return writeAliases(ctx, (write) => write({ domainId, destinations }, update));
}

/**
 * For a transaction that adds a domain, after it has done so: an alias chain must not form through the domain meanwhile. Delays all
 * changes of aliases until the transaction ends.
 */
export async function waitForAliasChanges(tx: Tx): Promise<void> {
  await waitForAliasWrites(tx);
}

export async function deleteAlias(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const row = await requireAlias(ctx, tx, id);
    const before = await presentOne(tx, row);
    await keepDeleted(ctx, tx, { kind: 'alias', id, name: before.address, domainId: row.domainId });
    await tx.alias.delete({ where: { id }, select: { id: true } });
    await audit({ resource: `alias:${id}`, domainId: row.domainId, before, after: null });
    return { message: `Alias ${row.sourceLocalPart}@${row.domain.name} deleted.` };
  });
}

/** Restores a deleted alias, after the checks of a new one. @throws the errors of createAlias */
export async function restoreAlias(ctx: MutationContext, record: DeletedRecord): Promise<void> {
  const domain = await authorizeDomain(ctx, { id: record.domainId as string });
  const kept = await keptRow<{ source_local_part: string; destination: string }>(ctx.db, record);
  const { source_local_part: sourceLocalPart, destination } = kept;
  const restore = async ({ tx, audit }: AuditedTransaction) => {
    await requireAliasCapacity(tx, domain);
    await rejectChain(tx, `${sourceLocalPart}@${domain.name}`, destination, true);
    await restoreRows(tx, record);
    const after = await presentOne(tx, await requireAlias(ctx, tx, record.id));
    await audit({ resource: `alias:${record.id}`, domainId: domain.id, before: null, after });
  };
  const touched = { domainId: domain.id, destinations: [destination] };
  return writeAliases(ctx, (write) => write(touched, restore)).catch((error) => {
    throw violatedConstraint(error) === null ? error : aliasExists(sourceLocalPart, domain.name);
  });
}

/** @throws CONFLICT if `more` aliases would exceed the domain's limit */
export async function requireAliasCapacity(tx: Tx, domain: AuthorizedDomain, more = 1): Promise<void> {
  const found = await tx.domain.findUnique({
    where: { id: domain.id },
    select: { maxAliases: true, _count: { select: { aliases: true } } },
  });
  if (!found) throw domainNotFound();
  const { maxAliases, _count } = found;
  if (maxAliases === null || _count.aliases + more <= maxAliases) return;
  throw new AppError(
    'CONFLICT',
    `The domain ${domain.name} has ${_count.aliases} of at most ${maxAliases} aliases. Delete some or raise the limit.`,
    {
      details: { limit: maxAliases, count: _count.aliases },
    },
  );
}

export function aliasExists(sourceLocalPart: string, domainName: string): AppError {
  const message = sourceLocalPart
    ? `The alias ${sourceLocalPart}@${domainName} already exists. Choose another address or edit that alias.`
    : `The domain ${domainName} already has a catch-all. Edit it instead.`;
  return new AppError('CONFLICT', message, { details: { fields: [{ path: 'source_local_part', message }] } });
}

async function requireAlias(ctx: ActorContext, db: Tx, id: string): Promise<Row> {
  const row = await db.alias.findFirst({ where: { AND: [{ id }, domainFilter(ctx.actor)] }, select: FIELDS });
  if (!row) throw notFound('alias');
  return row;
}

/** Maps a row deleted by a concurrent request to 404. */
const FIELDS = {
  id: true,
  domainId: true,
  sourceLocalPart: true,
  destination: true,
  active: true,
  createdAt: true,
  updatedAt: true,
  domain: { select: { name: true } },
} satisfies Prisma.AliasSelect;

type Row = Prisma.AliasGetPayload<{ select: typeof FIELDS }>;

async function presentOne(db: Tx, row: Row): Promise<Alias> {
  const [alias] = await withWarnings(db, [row]);
  return alias as Alias;
}

async function withWarnings(db: Tx, rows: Row[]): Promise<Alias[]> {
  const warnings = await findWarnings(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => present(row, warnings.get(row.id) ?? []));
}

function present(row: Row, warnings: AliasWarning[]): Alias {
  return {
    id: row.id,
    domain_id: row.domainId,
    address: `${row.sourceLocalPart}@${row.domain.name}`,
    source_local_part: row.sourceLocalPart,
    destination: row.destination,
    active: row.active,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    warnings,
  };
}
