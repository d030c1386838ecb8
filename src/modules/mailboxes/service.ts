import { hasRole } from '@/lib/access/roles';
import { MAIL_SERVICES } from '@/lib/mail/services';
import { resolveAlert } from '@/modules/alerts/service';
import { mailHostName } from '@/modules/domains/service';
import { accessibleDomainIds, authorizeDomain, domainFilter } from '@/server/access/authorize';
import { isForeignKeyViolation, notFoundIfMissing, type Tx, violatedConstraint } from '@/server/database/db';
import { keepDeleted } from '@/server/deleted-records/keep';
import { type DeletedRecord, restoreRows } from '@/server/deleted-records/restore';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginateFrom } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { hashPassword } from '@/server/secrets/password';
import { requireMailboxCapacity } from './capacity';
import { countMailboxes, findMailboxes } from './find-mailboxes';
import { type ListMailboxes, mailboxList } from './lists';
import type { ClientSettings, CreateMailbox, Mailbox, UpdateMailbox } from './schema';

export type ManagedAddress = {
  domainId: string;
  /** Null if no mailbox has the address. */
  mailboxId: string | null;
  isSuspended: boolean;
};

/** @throws the errors of authorizeDomain if domain_id is given */
export async function listMailboxes(ctx: ActorContext, input: ListMailboxes): Promise<Page<Mailbox>> {
  if (input.domain_id) await authorizeDomain(ctx, { id: input.domain_id }, { allowInactive: true });
  return paginateFrom(mailboxList, input, {
    fetch: (position) => findMailboxes(ctx, input, position),
    count: () => countMailboxes(ctx, input),
    present,
  });
}

export async function getMailbox(ctx: ActorContext, { id }: { id: string }): Promise<Mailbox> {
  return present(await requireMailbox(ctx, ctx.db, id));
}

/** Returns the addresses whose domain is managed here and in the caller's domain scope. */
export async function findManagedAddresses(
  ctx: ActorContext,
  addresses: readonly string[],
): Promise<Map<string, ManagedAddress>> {
  const unique = [...new Set(addresses)].filter((address) => address.includes('@'));
  const locals = unique.map((address) => address.slice(0, address.lastIndexOf('@')).toLowerCase());
  const domains = unique.map((address) => address.slice(address.lastIndexOf('@') + 1).toLowerCase());
  const domainIds = accessibleDomainIds(ctx.actor);
  const rows = await ctx.db.$queryRaw<(ManagedAddress & { address: string })[]>`/* prepared */
    SELECT a.address, d.id AS "domainId", m.id AS "mailboxId", m.suspended_at IS NOT NULL AS "isSuspended"
      FROM unnest(${unique}::text[], ${locals}::text[], ${domains}::text[]) AS a (address, local_part, domain)
      JOIN domain d ON d.name = a.domain
      LEFT JOIN mailbox m ON m.domain_id = d.id AND m.local_part = a.local_part
     WHERE ${domainIds}::uuid[] IS NULL OR d.id = ANY (${domainIds}::uuid[])`;
  return new Map(rows.map(({ address, ...managed }) => [address, managed]));
}

/** How mail programs reach the mail server. */
export async function getClientSettings(ctx: ActorContext, { id }: { id: string }): Promise<ClientSettings> {
  const [row, host] = await Promise.all([requireMailbox(ctx, ctx.db, id), mailHostName(ctx.db)]);
  const services = [...MAIL_SERVICES].sort((one, other) => Number(other.isTlsFromStart) - Number(one.isTlsFromStart));
  return {
    user_name: present(row).email,
    host,
    services: services.map(({ protocol, port, isTlsFromStart }) => ({
      protocol,
      port,
      security: isTlsFromStart ? 'tls' : 'starttls',
    })),
  };
}

/** @throws CONFLICT if the address is in use or the domain's mailbox limit is reached */
export async function createMailbox(ctx: MutationContext, input: CreateMailbox): Promise<Mailbox> {
  const { local_part: localPart, password, ...settings } = input;
  const domain = await authorizeDomain(ctx, { id: input.domain_id });
  const passwordHash = await hashPassword(password);
  return ctx
    .transaction(async ({ tx, audit }) => {
      const { defaultQuotaBytes } = await requireMailboxCapacity(tx, domain);
      const quotaBytes = settings.quota_bytes === undefined ? defaultQuotaBytes : settings.quota_bytes;
      const row = await tx.mailbox.create({
        select: FIELDS,
        data: {
          domainId: domain.id,
          localPart,
          passwordHash,
          displayName: settings.display_name,
          quotaBytes,
          active: settings.active,
          createdAt: ctx.clock.now(),
        },
      });
      const mailbox = present(row);
      await audit({ resource: `mailbox:${mailbox.id}`, domainId: domain.id, before: null, after: mailbox });
      return mailbox;
    })
    .catch((error) => {
      throw toAppError(error, `${localPart}@${domain.name}`);
    });
}

/** Changes only the supplied fields. A new password takes effect on the mail server immediately. */
export async function updateMailbox(ctx: MutationContext, input: UpdateMailbox): Promise<Mailbox> {
  const { id, password, display_name: displayName, quota_bytes: quotaBytes, active } = input;
  await requireMailbox(ctx, ctx.db, id);
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const row = await requireMailbox(ctx, tx, id);
    const data = { displayName, quotaBytes, active, passwordHash };
    const after = present(
      await tx.mailbox.update({ where: { id }, data, select: FIELDS }).catch(notFoundIfMissing('mailbox')),
    );
    const details = passwordHash ? { password_changed: true } : {};
    await audit({ resource: `mailbox:${id}`, domainId: row.domainId, before: present(row), after, details });
    return after;
  });
}

export async function deleteMailbox(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const before = present(await requireMailbox(ctx, tx, id));
    // A domain admin must not lift a suspension by deleting and recreating the mailbox.
    const where = hasRole(ctx.actor.admin.role, 'admin') ? { id } : { id, suspendedAt: null };
    await keepDeleted(ctx, tx, { kind: 'mailbox', id, name: before.email, domainId: before.domain_id });
    const { count } = await tx.mailbox.deleteMany({ where });
    if (count === 0) {
      throw new AppError('CONFLICT', `Mailbox ${before.email} is suspended. Only an admin can delete it.`);
    }
    await resolveAlert(tx, { kind: 'mailbox_suspended', subject: before.email }, ctx.clock.now());
    await audit({ resource: `mailbox:${id}`, domainId: before.domain_id, before, after: null });
    return { message: `Mailbox ${before.email} deleted.` };
  });
}

/**
 * Restores a deleted mailbox with its password and filters, after the checks of a new one. The mail server kept its mail, and finds
 * it by the id. @throws the errors of createMailbox
 */
export async function restoreMailbox(ctx: MutationContext, record: DeletedRecord): Promise<void> {
  const domain = await authorizeDomain(ctx, { id: record.domainId as string });
  await ctx
    .transaction(async ({ tx, audit }) => {
      await requireMailboxCapacity(tx, domain);
      await restoreRows(tx, record);
      const after = present(await requireMailbox(ctx, tx, record.id));
      await audit({ resource: `mailbox:${record.id}`, domainId: domain.id, before: null, after });
    })
    .catch((error) => {
      throw toAppError(error, record.name);
    });
}

function toAppError(error: unknown, email: string): unknown {
  if (isForeignKeyViolation(error)) return new AppError('DOMAIN_NOT_FOUND', 'The domain was deleted in the meantime.');
  if (violatedConstraint(error) === null) return error;
  const message = `The mailbox ${email} already exists. Choose another address.`;
  return new AppError('CONFLICT', message, { details: { fields: [{ path: 'local_part', message }] } });
}

export async function requireMailbox(ctx: ActorContext, db: Tx, id: string): Promise<Row> {
  const row = await db.mailbox.findFirst({ where: { AND: [{ id }, domainFilter(ctx.actor)] }, select: FIELDS });
  if (!row) throw notFound('mailbox');
  return row;
}

/** Maps a row deleted by a concurrent request to 404. */
export const FIELDS = {
  id: true,
  domainId: true,
  localPart: true,
  displayName: true,
  quotaBytes: true,
  active: true,
  suspendedAt: true,
  suspensionReason: true,
  suspensionNote: true,
  usedBytes: true,
  percentFull: true,
  passwordChangedAt: true,
  createdAt: true,
  updatedAt: true,
  domain: { select: { name: true } },
} satisfies Prisma.MailboxSelect;

type Row = Prisma.MailboxGetPayload<{ select: typeof FIELDS }>;

export function present(row: Row): Mailbox {
  return {
    id: row.id,
    domain_id: row.domainId,
    email: `${row.localPart}@${row.domain.name}`,
    local_part: row.localPart,
    display_name: row.displayName,
    quota_bytes: row.quotaBytes === null ? null : Number(row.quotaBytes),
    active: row.active,
    suspended: row.suspendedAt !== null,
    suspended_at: row.suspendedAt?.toISOString() ?? null,
    suspension_reason: row.suspensionReason,
    suspension_note: row.suspensionNote,
    used_bytes: Number(row.usedBytes),
    percent_full: row.quotaBytes === null ? null : row.percentFull,
    password_changed_at: row.passwordChangedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
