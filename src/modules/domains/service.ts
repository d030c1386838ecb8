import { hasRole } from '@/lib/access/roles';
import { normalizeDomainName } from '@/lib/mail/address';
import { resolveDomainAlerts } from '@/modules/alerts/service';
import { waitForAliasChanges } from '@/modules/aliases/service';
import { kickAgents } from '@/modules/mail-server/service';
import { accessibleDomainIds, requireRole } from '@/server/access/authorize';
import { isForeignKeyViolation, notFoundIfMissing, type Tx, violatedConstraint } from '@/server/database/db';
import { keepDeleted } from '@/server/deleted-records/keep';
import { type DeletedRecord, restoreRows } from '@/server/deleted-records/restore';
import { AppError, notFound } from '@/server/errors';
import { escapeLike } from '@/server/list/search-key';
import { type Page, type Position, paginate, paginateFrom } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { dkimKeyRow, makeDkimKeyPair } from './dkim/keys';
import { waitUntilPublished } from './dkim/publish';
import { dnsServers, mailHostName } from './dns/checking/facts';
import { followActive } from './dns/results/alert';
import { domainList, type ListDomains } from './lists';
import type { CreateDomain, Domain, UpdateDomain } from './schema';
import { rankDomains } from './states/service';

/** A domain can have hundreds of thousands of suppressions. */
const MANY_ROWS = { timeoutMs: 60_000 };

export { dnsServers, mailHostName };

export function listDomains(ctx: ActorContext, input: ListDomains): Promise<Page<Domain>> {
  const { active, dns_status: dnsStatus, dmarc_policy: policy, name: given, q, sort } = input;
  const whole = given && (normalizeDomainName(given) ?? given);
  const name = { equals: whole, contains: q && escapeLike(q.toLowerCase()) };
  const dmarc = policy === 'missing' ? { dmarcPolicy: null, dnsCheckedAt: { not: null } } : { dmarcPolicy: policy };
  const filters = { AND: [domainScope(ctx), { active, dnsStatus, name }, dmarc] };
  if (sort === 'dns_status' || sort === 'dmarc_policy') {
    return paginateFrom(domainList, input, {
      fetch: async (position) => ({ rows: await rankedRows(ctx, { ...input, sort, name: whole }, position) }),
      count: (take) => ctx.db.domain.count({ where: filters, take }),
      positionOf: ({ rank, name: id }) => ({ value: rank, id }),
      present: (row: RankedRow) => present(row),
    });
  }
  return paginate(domainList, input, {
    fetch: ({ where, ...page }) =>
      ctx.db.domain.findMany({ ...page, select: FIELDS, where: { AND: [where, filters] } }),
    count: (take) => ctx.db.domain.count({ where: filters, take }),
    present,
  });
}

type RankedRow = Row & { rank: string };

/** The rows of domains in the order of what a check found. */
async function rankedRows(
  ctx: ActorContext,
  input: Parameters<typeof rankDomains>[1],
  position: Position | null,
): Promise<RankedRow[]> {
  const ranked = await rankDomains(ctx, input, position);
  const rows = await ctx.db.domain.findMany({ where: { id: { in: ranked.map(({ id }) => id) } }, select: FIELDS });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ranked.flatMap(({ id, rank }) => {
    const row = byId.get(id);
    return row ? [{ ...row, rank }] : [];
  });
}

export async function getDomain(ctx: ActorContext, { id }: { id: string }): Promise<Domain> {
  return present(await requireDomain(ctx, ctx.db, id));
}

/** Creates an active DKIM key with the domain, and waits until the mail server has it, so that the first message is signed. @throws DOMAIN_EXISTS */
export async function createDomain(ctx: MutationContext, { name, ...settings }: CreateDomain): Promise<Domain> {
  const normalized = normalizeDomainName(name) as string;
  const existing = await ctx.db.domain.findUnique({ where: { name: normalized }, select: { id: true } });
  if (existing) throw domainExists(normalized);
  const pair = await makeDkimKeyPair('rsa-2048');
  const created = await ctx
    .transaction(async ({ tx, audit }) => {
      const key = dkimKeyRow(pair, { status: 'active', at: ctx.clock.now() });
      const dkim = { dkimSelector: key.selector, dkimKeys: { create: key } };
      const data = { name: normalized, ...columns(settings), ...dkim };
      const domain = present(await tx.domain.create({ select: FIELDS, data }));
      await waitForAliasChanges(tx);
      await audit({ resource: `domain:${domain.id}`, domainId: domain.id, before: null, after: domain });
      await kickAgents(tx);
      return domain;
    })
    .catch((error) => {
      throw violatedConstraint(error) === null ? error : domainExists(normalized);
    });
  await waitUntilPublished(ctx.db, created.id);
  return created;
}

export async function updateDomain(ctx: MutationContext, { id, ...settings }: UpdateDomain): Promise<Domain> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const before = present(await requireDomain(ctx, tx, id));
    await requireOwnMailbox(tx, id, settings.report_mailbox_id);
    // The DNS check accepts `other_mx_hosts`, so a change to them makes it due now.
    const recheck = settings.other_mx_hosts ? { nextDnsCheckAt: ctx.clock.now() } : {};
    const row = await tx.domain
      .update({ where: { id }, select: FIELDS, data: { ...columns(settings), ...recheck } })
      .catch(notFoundIfMissing('domain'));
    const after = present(row);
    if (after.active !== before.active) await followActive(tx, after, ctx.clock.now());
    await audit({ resource: `domain:${id}`, domainId: id, before, after });
    return after;
  });
}

/** Keeps its messages, events and audit entries, with its id, and so takes no longer with millions of them. @throws CONFLICT while the domain has mailboxes or aliases */
export async function deleteDomain(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const before = present(await requireDomain(ctx, tx, id));
    // Before the alerts, in the order in which a check of its DNS locks them.
    await tx.$queryRaw`SELECT id FROM domain WHERE id = ${id}::uuid FOR UPDATE`;
    await resolveDomainAlerts(tx, id, ctx.clock.now());
    await keepDeleted(ctx, tx, { kind: 'domain', id, name: before.name, domainId: id });
    await tx.template.deleteMany({ where: { domainId: id } });
    await tx.domain.delete({ where: { id }, select: { id: true } }).catch((error) => {
      if (!isForeignKeyViolation(error)) throw error;
      throw new AppError('CONFLICT', `The domain ${before.name} still has mailboxes or aliases. Delete them first.`, {
        details: { mailbox_count: before.mailbox_count, alias_count: before.alias_count },
      });
    });
    await audit({ resource: `domain:${id}`, domainId: id, before, after: null });
    await kickAgents(tx);
    return { message: `Domain ${before.name} deleted.` };
  }, MANY_ROWS);
}

/**
 * Restores a deleted domain with its DKIM keys, filters, webhooks, templates and suppressions. Keys that were scoped to it have access again,
 * since it has its id. So do the domain admins who were assigned to it, if a super admin restores it: nobody else may assign domains.
 * @throws DOMAIN_EXISTS
 */
export async function restoreDomain(ctx: MutationContext, record: DeletedRecord): Promise<void> {
  const { id, name } = record;
  requireRole(ctx.actor, 'admin');
  const without = hasRole(ctx.actor.admin.role, 'super_admin') ? [] : ['admin_domain'];
  await ctx
    .transaction(async ({ tx, audit }) => {
      await restoreRows(tx, record, without);
      // The mail server has removed the key of the deleted domain.
      await tx.dkimKey.updateMany({ where: { domainId: id }, data: { publishedAt: null } });
      const data = { nextDnsCheckAt: ctx.clock.now() };
      const after = present(await tx.domain.update({ where: { id }, data, select: FIELDS }));
      const assigned = await tx.adminDomain.findMany({
        where: { domainId: id },
        select: { admin: { select: { email: true } } },
        orderBy: { admin: { email: 'asc' } },
      });
      const details = assigned.length > 0 ? { access_restored_to: assigned.map(({ admin }) => admin.email) } : {};
      await audit({ resource: `domain:${id}`, domainId: id, before: null, after, details });
      await kickAgents(tx);
      // Last, since it delays all changes of aliases until the commit.
      await waitForAliasChanges(tx);
    }, MANY_ROWS)
    .catch((error) => {
      throw violatedConstraint(error) === null ? error : domainExists(name);
    });
  await waitUntilPublished(ctx.db, id);
}

/** DNS records of a domain that its mail depends on and that are missing or wrong. */
export function countBrokenRecords({ db }: ActorContext, domainId: string): Promise<number> {
  return db.dnsRecord.count({ where: { domainId, required: true, severity: 'error' } });
}

/** @throws NOT_FOUND if the domain doesn't exist or is outside the caller's scope */
export async function requireDomain(ctx: ActorContext, db: Tx, id: string): Promise<Row> {
  const domain = await db.domain.findFirst({ where: { AND: [{ id }, domainScope(ctx)] }, select: FIELDS });
  if (!domain) throw notFound('domain');
  return domain;
}

async function requireOwnMailbox(tx: Tx, domainId: string, mailboxId: string | null | undefined): Promise<void> {
  if (!mailboxId || (await tx.mailbox.count({ where: { id: mailboxId, domainId } })) > 0) return;
  const message = 'Choose a mailbox of this domain.';
  throw new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'report_mailbox_id', message }] } });
}

function domainExists(name: string): AppError {
  return new AppError('DOMAIN_EXISTS', `The domain ${name} already exists.`, {
    details: { fields: [{ path: 'name', message: 'This domain already exists.' }] },
  });
}

/** Maps a row deleted by a concurrent request to 404. */
function domainScope(ctx: ActorContext): Prisma.DomainWhereInput {
  const ids = accessibleDomainIds(ctx.actor);
  return ids ? { id: { in: ids } } : {};
}

function columns(settings: Omit<UpdateDomain, 'id'>) {
  return {
    active: settings.active,
    description: settings.description,
    maxMailboxes: settings.max_mailboxes,
    maxAliases: settings.max_aliases,
    defaultQuotaBytes: settings.default_quota_bytes,
    hourlySendLimit: settings.hourly_send_limit,
    mtaStsMode: settings.mta_sts_mode,
    otherMxHosts: settings.other_mx_hosts && hostsOf(settings.other_mx_hosts),
    reportMailboxId: settings.report_mailbox_id,
  };
}

function hostsOf(names: string[]): string[] {
  return [...new Set(names.flatMap((name) => normalizeDomainName(name) ?? []))];
}

const FIELDS = {
  id: true,
  name: true,
  active: true,
  description: true,
  maxMailboxes: true,
  maxAliases: true,
  defaultQuotaBytes: true,
  hourlySendLimit: true,
  mtaStsMode: true,
  otherMxHosts: true,
  reportMailboxId: true,
  verifiedAt: true,
  dnsStatus: true,
  dmarcPolicy: true,
  dkimSelector: true,
  createdAt: true,
  updatedAt: true,
  _count: { select: { mailboxes: true, aliases: true } },
} satisfies Prisma.DomainSelect;

type Row = Prisma.DomainGetPayload<{ select: typeof FIELDS }>;

function present(row: Row): Domain {
  return {
    id: row.id,
    name: row.name,
    active: row.active,
    description: row.description,
    max_mailboxes: row.maxMailboxes,
    max_aliases: row.maxAliases,
    default_quota_bytes: row.defaultQuotaBytes === null ? null : Number(row.defaultQuotaBytes),
    hourly_send_limit: row.hourlySendLimit,
    mta_sts_mode: row.mtaStsMode,
    other_mx_hosts: row.otherMxHosts,
    report_mailbox_id: row.reportMailboxId,
    verified_at: row.verifiedAt?.toISOString() ?? null,
    dns_status: row.dnsStatus,
    dmarc_policy: row.dmarcPolicy as Domain['dmarc_policy'],
    dkim_selector: row.dkimSelector,
    mailbox_count: row._count.mailboxes,
    alias_count: row._count.aliases,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
