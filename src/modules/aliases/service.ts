import { type AuthorizedDomain, authorizeDomain, domainFilter } from '@/server/access';
import type { RecordAudit } from '@/server/audit';
import type { ActorContext } from '@/server/context';
import { isForeignKeyViolation, isMissingRow, type Tx, violatedConstraint } from '@/server/db';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import { refuseChain, writeAliases } from './chains';
import type { Alias, CreateAlias, ListAliases, UpdateAlias } from './schema';
import { findWarnings } from './warnings';

type MutationContext = ActorContext & { audit: RecordAudit };

/** @throws MISSING_FIELDS where a domain_admin names no domain; what authorizeDomain throws */
export async function listAliases(ctx: ActorContext, input: ListAliases): Promise<Page<Alias>> {
  const { domain_id: domainId, active, q } = input;
  if (!domainId && ctx.actor.admin.role === 'domain_admin') {
    throw new AppError('MISSING_FIELDS', 'Required fields are missing: domain_id.', {
      details: { fields: [{ path: 'domain_id', message: 'A domain_admin lists the aliases of one domain.' }] },
    });
  }
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const column = input.sort === 'source_local_part' ? 'sourceLocalPart' : 'createdAt';
  const found = await paginate(
    'aliases',
    input,
    column,
    ({ where, ...page }) =>
      ctx.db.alias.findMany({
        ...page,
        select: FIELDS,
        where: { AND: [where, domainFilter(ctx.actor), { domainId, active, ...containing(q) }] },
      }),
    (row: Row) => row,
  );
  return { ...found, items: await withWarnings(ctx.db, found.items) };
}

export async function getAlias(ctx: ActorContext, { id }: { id: string }): Promise<Alias> {
  return presentOne(ctx.db, await requireAlias(ctx, ctx.db, id));
}

/** Takes effect with the transaction: the mail server asks the database for every address. */
export async function createAlias(ctx: MutationContext, input: CreateAlias): Promise<Alias> {
  const domain = await authorizeDomain(ctx, { id: input.domain_id });
  const { source_local_part: sourceLocalPart, destination, active } = input;
  return writeAliases(ctx.database, async (tx) => {
    await refuseBeyondLimit(tx, domain);
    await refuseChain(tx, `${sourceLocalPart}@${domain.name}`, destination, true);
    const data = { domainId: domain.id, sourceLocalPart, destination, active, createdAt: ctx.clock.now() };
    const alias = await presentOne(tx, await tx.alias.create({ data, select: FIELDS }));
    await ctx.audit({ resource: `alias:${alias.id}`, domainId: domain.id, before: null, after: alias }, tx);
    return alias;
  }).catch((error) => {
    if (isForeignKeyViolation(error)) throw domainGone();
    throw violatedConstraint(error) === null ? error : duplicate(sourceLocalPart, domain.name);
  });
}

/** Only supplied fields change. */
export async function updateAlias(ctx: MutationContext, { id, destination, active }: UpdateAlias): Promise<Alias> {
  return writeAliases(ctx.database, async (tx) => {
    const row = await requireAlias(ctx, tx, id);
    const before = await presentOne(tx, row);
    if (destination !== undefined) {
      await refuseChain(tx, `${row.sourceLocalPart}@${row.domain.name}`, destination, false);
    }
    const data = { destination, active };
    const after = await presentOne(tx, await tx.alias.update({ where: { id }, data, select: FIELDS }).catch(gone));
    await ctx.audit({ resource: `alias:${id}`, domainId: row.domainId, before, after }, tx);
    return after;
  });
}

export async function deleteAlias(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  const row = await requireAlias(ctx, ctx.db, id);
  const before = await presentOne(ctx.db, row);
  await ctx.db.alias.delete({ where: { id }, select: { id: true } }).catch(gone);
  await ctx.audit({ resource: `alias:${id}`, domainId: row.domainId, before, after: null });
  return { message: `The alias ${row.sourceLocalPart}@${row.domain.name} is deleted.` };
}

/** @throws CONFLICT where the domain has as many aliases as it may */
export async function refuseBeyondLimit(tx: Tx, domain: AuthorizedDomain, more = 1): Promise<void> {
  const found = await tx.domain.findUnique({
    where: { id: domain.id },
    select: { maxAliases: true, _count: { select: { aliases: true } } },
  });
  if (!found) throw domainGone();
  const { maxAliases, _count } = found;
  if (maxAliases === null || _count.aliases + more <= maxAliases) return;
  throw new AppError(
    'CONFLICT',
    `The domain ${domain.name} may have ${maxAliases} aliases, and has ${_count.aliases}.`,
    {
      details: { limit: maxAliases, count: _count.aliases },
    },
  );
}

function domainGone(): AppError {
  return new AppError('DOMAIN_NOT_FOUND', 'That domain was just deleted.');
}

export function duplicate(sourceLocalPart: string, domainName: string): AppError {
  const message = sourceLocalPart
    ? `There is an alias ${sourceLocalPart}@${domainName} already.`
    : `The domain ${domainName} has a catch-all already.`;
  return new AppError('CONFLICT', message, { details: { fields: [{ path: 'source_local_part', message }] } });
}

async function requireAlias(ctx: ActorContext, db: Tx, id: string): Promise<Row> {
  const row = await db.alias.findFirst({ where: { AND: [{ id }, domainFilter(ctx.actor)] }, select: FIELDS });
  if (!row) throw notFound('alias');
  return row;
}

/** Another call deleted it between our look and our change. */
function gone(error: unknown): never {
  throw isMissingRow(error) ? notFound('alias') : error;
}

function containing(q: string | undefined): Prisma.AliasWhereInput {
  if (!q) return {};
  const contains = q.toLowerCase().replace(/[\\%_]/g, '\\$&');
  const [local = '', domain] = contains.split('@');
  const source =
    domain === undefined
      ? { sourceLocalPart: { contains } }
      : { sourceLocalPart: { endsWith: local }, domain: { name: { startsWith: domain } } };
  return { OR: [source, { destination: { contains, mode: 'insensitive' } }] };
}

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

function present(row: Row, warnings: string[]): Alias {
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
