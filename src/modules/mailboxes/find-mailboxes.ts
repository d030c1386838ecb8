import { addressSearches, hasAddress, withDomain } from '@/server/list/address-searches';
import { searchedList } from '@/server/list/searched-list';
import type { Found, Position } from '@/server/pagination';
import { type Mailbox, Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { ListMailboxes } from './lists';

type Row = Omit<Mailbox, 'passwordHash' | 'searchKey' | 'rateCountedFrom'> & { domainName: string };
type ListedRow = Omit<Row, 'domainName'> & { domain: { name: string } };

const COLUMNS = Prisma.sql`
  m.id, m.domain_id AS "domainId", m.local_part AS "localPart", m.display_name AS "displayName",
  m.quota_bytes AS "quotaBytes", m.active, m.suspended_at AS "suspendedAt", m.suspension_reason AS "suspensionReason",
  m.suspension_note AS "suspensionNote", m.used_bytes AS "usedBytes", m.percent_full AS "percentFull",
  m.password_changed_at AS "passwordChangedAt", m.created_at AS "createdAt", m.updated_at AS "updatedAt", d.name AS "domainName"`;

const SORTS = {
  created_at: { column: Prisma.sql`m.created_at`, id: Prisma.sql`m.id`, name: 'createdAt' },
  percent_full: { column: Prisma.sql`m.percent_full`, id: Prisma.sql`m.id`, name: 'percentFull' },
  local_part: { column: Prisma.sql`m.local_part`, id: Prisma.sql`m.id`, name: 'localPart' },
} as const;

const list = searchedList<Row, ListMailboxes>({
  key: { table: 'mailbox', column: Prisma.sql`m.search_key` },
  domain: Prisma.sql`m.domain_id`,
  select: ({ active, suspended, min_percent_full: minPercent, email, sort }) => ({
    columns: COLUMNS,
    from: Prisma.sql`mailbox m JOIN domain d ON d.id = m.domain_id`,
    conditions: [
      active !== undefined && Prisma.sql`m.active = ${active}`,
      suspended === true && Prisma.sql`m.suspended_at IS NOT NULL`,
      suspended === false && Prisma.sql`m.suspended_at IS NULL`,
      email !== undefined && hasAddress(email, Prisma.sql`m.domain_id, m.local_part`),
      minPercent !== undefined && Prisma.sql`m.percent_full >= ${minPercent}`,
    ].filter((each) => each instanceof Prisma.Sql),
    by: SORTS[sort],
  }),
  search: addressSearches,
});

export async function findMailboxes(
  ctx: ActorContext,
  input: ListMailboxes,
  position: Position | null,
): Promise<Found<ListedRow>> {
  const { rows, searchedTo } = await list.find(ctx, input, position);
  return { rows: rows.map(withDomain), searchedTo };
}

export const countMailboxes = list.count;
