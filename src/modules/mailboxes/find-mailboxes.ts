import { accessibleDomainIds } from '@/server/access/authorize';
import { addressSearches, hasAddress } from '@/server/list/address-searches';
import { countRows, readAll } from '@/server/list/count-rows';
import { findPage, type Search } from '@/server/list/find-page';
import type { Selection } from '@/server/list/select-page';
import type { Found, Position } from '@/server/pagination';
import { type Mailbox, Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { ListMailboxes } from './lists';

type Row = Omit<Mailbox, 'passwordHash' | 'searchKey' | 'rateCountedFrom'>;
type ListedRow = Row & { domain: { name: string } };

const COLUMNS = Prisma.sql`
  m.id, m.domain_id AS "domainId", m.local_part AS "localPart", m.display_name AS "displayName",
  m.quota_bytes AS "quotaBytes", m.active, m.suspended_at AS "suspendedAt", m.suspension_reason AS "suspensionReason",
  m.suspension_note AS "suspensionNote", m.used_bytes AS "usedBytes", m.percent_full AS "percentFull",
  m.password_changed_at AS "passwordChangedAt", m.created_at AS "createdAt", m.updated_at AS "updatedAt", d.name AS "domainName"`;

const KEY = { table: 'mailbox', column: Prisma.sql`m.search_key` };

const SORTS = {
  created_at: { column: Prisma.sql`m.created_at`, id: Prisma.sql`m.id`, name: 'createdAt' },
  percent_full: { column: Prisma.sql`m.percent_full`, id: Prisma.sql`m.id`, name: 'percentFull' },
  local_part: { column: Prisma.sql`m.local_part`, id: Prisma.sql`m.id`, name: 'localPart' },
} as const;

/** @param input with a domain_id that the caller has access to, if there is one */
export async function findMailboxes(
  ctx: ActorContext,
  input: ListMailboxes,
  position: Position | null,
): Promise<Found<ListedRow>> {
  const { rows, searchedTo } = await findPage<Row & { domainName: string }>(
    ctx.db,
    await searchesOf(ctx, input, position),
    {
      key: KEY,
      take: input.limit + 1,
    },
  );
  return { rows: rows.map(({ domainName: name, ...row }) => ({ ...row, domain: { name } })), searchedTo };
}

/** @returns null if it would take too long */
export async function countMailboxes(ctx: ActorContext, input: ListMailboxes): Promise<number | null> {
  return countRows(ctx.db, (await searchesOf(ctx, input, null)).map(readAll), KEY);
}

function searchesOf({ actor, db }: ActorContext, input: ListMailboxes, position: Position | null): Promise<Search[]> {
  const { domain_id: domainId, active, suspended, min_percent_full: minPercent, email, q, sort, order } = input;
  const conditions = [
    active !== undefined && Prisma.sql`m.active = ${active}`,
    suspended === true && Prisma.sql`m.suspended_at IS NOT NULL`,
    suspended === false && Prisma.sql`m.suspended_at IS NULL`,
    email !== undefined && hasAddress(email, Prisma.sql`m.domain_id, m.local_part`),
    minPercent !== undefined && Prisma.sql`m.percent_full >= ${minPercent}`,
  ].filter((each) => each instanceof Prisma.Sql);
  const selection: Selection = {
    columns: COLUMNS,
    from: Prisma.sql`mailbox m JOIN domain d ON d.id = m.domain_id`,
    conditions,
    by: SORTS[sort],
    order,
    position,
    domains: { column: Prisma.sql`m.domain_id`, ids: domainId ? [domainId] : accessibleDomainIds(actor) },
  };
  return addressSearches(db, q, selection);
}
