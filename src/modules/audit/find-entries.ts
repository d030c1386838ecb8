import { actionsOf, CHANGELESS_ACTIONS } from '@/lib/texts/audit-actions';
import { accessibleDomainIds } from '@/server/access/authorize';
import { countRows } from '@/server/list/count-rows';
import { findPage, type Search } from '@/server/list/find-page';
import { eachWordOf, searchKey } from '@/server/list/search-key';
import type { Selection } from '@/server/list/select-page';
import type { Found, Position } from '@/server/pagination';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { ListAudit } from './lists';

export const FIELDS = {
  id: true,
  adminId: true,
  adminEmail: true,
  apiKeyId: true,
  action: true,
  resource: true,
  domainId: true,
  ipAddress: true,
  userAgent: true,
  requestId: true,
  outcome: true,
  details: true,
  createdAt: true,
  hash: true,
  prevHash: true,
} satisfies Prisma.AuditEntrySelect;

export type Row = Prisma.AuditEntryGetPayload<{ select: typeof FIELDS }>;

const COLUMNS = Prisma.sql`
  e.id, e.admin_id AS "adminId", e.admin_email AS "adminEmail", e.api_key_id AS "apiKeyId", e.action, e.resource,
  e.domain_id AS "domainId", e.ip_address AS "ipAddress", e.user_agent AS "userAgent", e.request_id AS "requestId",
  e.outcome, e.details, e.created_at AS "createdAt", e.hash, e.prev_hash AS "prevHash"`;

const BY_TIME = { column: Prisma.sql`e.created_at`, id: Prisma.sql`e.id`, name: 'createdAt' } as const;
const KEY = { table: 'audit_entry', column: Prisma.sql`e.search_key` };

/**
 * Entries that every word of the text finds. A word that is a resource of entries, or the start of a request id, finds these
 * by their own indexes; if no entry has these, and for any other word, the search key contains it.
 */
export async function findEntries(ctx: ActorContext, input: ListAudit, position: Position | null): Promise<Found<Row>> {
  const selection = selectionOf(ctx, input, position);
  const find = (search: Search, take = input.limit + 1) => findPage<Row>(ctx.db, [search], { key: KEY, take });
  if (input.q === undefined) return find({ selection });
  const { exact, others } = meaningOf(input.q);
  if (exact.length > 0) {
    const words = eachWordOf(await searchKey(ctx.db, others)) ?? undefined;
    const only = (each: Selection) => ({
      selection: { ...each, conditions: [...each.conditions, ...exact] },
      words,
    });
    const found = await find(only(selection));
    if (found.rows.length > 0) return found;
    // The end of the exact matches, which a page before had.
    if (position && (await find(only({ ...selection, position: null }), 1)).rows.length > 0) return found;
  }
  const words = eachWordOf(await searchKey(ctx.db, input.q));
  return words ? find({ selection, words }) : { rows: [] };
}

/** @returns null for conditions that no index has together: each one has a single column and the time */
export async function countEntries(ctx: ActorContext, input: ListAudit): Promise<number | null> {
  const { cursor: _, limit, total, sort, order, since, until, q, domain_id: domainId, ...filters } = input;
  const conditions = [...Object.values(filters), domainId ?? accessibleDomainIds(ctx.actor) ?? undefined];
  if (conditions.filter((each) => each !== undefined).length > 1) return null;
  const selection = selectionOf(ctx, input, null);
  if (q === undefined) return countRows(ctx.db, [{ selection }], KEY);
  const words = meaningOf(q).exact.length > 0 ? null : eachWordOf(await searchKey(ctx.db, q));
  return words ? countRows(ctx.db, [{ selection, words }], KEY) : null;
}

function selectionOf({ actor }: ActorContext, input: ListAudit, position: Position | null): Selection {
  const { admin_id: adminId, api_key_id: keyId, request_id: requestId, domain_id: domainId, since, until } = input;
  const conditions = [
    adminId && Prisma.sql`e.admin_id = ${adminId}::uuid`,
    input.admin_email && Prisma.sql`e.admin_email = ${input.admin_email}`,
    keyId && Prisma.sql`e.api_key_id = ${keyId}::uuid`,
    input.action && Prisma.sql`e.action = ${input.action}`,
    input.resource && Prisma.sql`e.resource = ${input.resource}`,
    input.ip_address && Prisma.sql`e.ip_address = ${input.ip_address}`,
    requestId && Prisma.sql`e.request_id = ${requestId}::uuid`,
    input.outcome && Prisma.sql`e.outcome = ${input.outcome}::audit_outcome`,
    since && Prisma.sql`e.created_at >= ${since}::timestamptz`,
    until && Prisma.sql`e.created_at < ${until}::timestamptz`,
  ].filter((each) => each instanceof Prisma.Sql);
  return {
    columns: COLUMNS,
    from: Prisma.sql`audit_entry e`,
    conditions,
    filters: input.changes_only ? CHANGES : undefined,
    classes: input.kind && [{ column: Prisma.sql`e.action`, type: 'text', values: actionsOf(input.kind) }],
    by: BY_TIME,
    order: input.order,
    position,
    // The caller has access to a domain that the request names: listAudit checks it.
    domains: { column: Prisma.sql`e.domain_id`, ids: domainId ? [domainId] : accessibleDomainIds(actor) },
  };
}

const CHANGES = [
  Prisma.sql`e.outcome = 'success'`,
  Prisma.sql`e.action <> ALL (${[...CHANGELESS_ACTIONS]}::text[])`,
  Prisma.sql`e.details->'dry_run' IS DISTINCT FROM 'true'`,
];

/** The words that are a resource or the start of a request id, and the others. */
function meaningOf(text: string): { exact: Prisma.Sql[]; others: string } {
  const words = text.split(/\s+/).map((word) => ({ word, exact: exactCondition(word) }));
  return {
    exact: words.flatMap(({ exact }) => exact ?? []),
    others: words.flatMap(({ word, exact }) => (exact ? [] : word)).join(' '),
  };
}

function exactCondition(text: string): Prisma.Sql | null {
  if (START_OF_UUID.test(text) && text.length <= NIL.length) {
    const first = text.toLowerCase() + NIL.slice(text.length);
    const last = text.toLowerCase() + MAX.slice(text.length);
    return Prisma.sql`e.request_id BETWEEN ${first}::uuid AND ${last}::uuid`;
  }
  return RESOURCE.test(text) ? Prisma.sql`e.resource = ${text}` : null;
}

const START_OF_UUID = /^[0-9a-f]{8}(-[0-9a-f]{0,4}|(-[0-9a-f]{4}){1,3}(-[0-9a-f]{0,12})?)?$/i;
const NIL = '00000000-0000-0000-0000-000000000000';
const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const RESOURCE = /^[a-z_]+:\S+$/;
