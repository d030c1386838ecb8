import { hasRole } from '@/lib/access/roles';
import { ALL_EVENTS } from '@/lib/event-types';
import { uuidv7 } from '@/lib/uuid';
import { resolveAlert } from '@/modules/alerts/service';
import {
  type AuthorizedDomain,
  accessibleDomainIds,
  authorizeDomain,
  domainFilter,
  isScoped,
  requireRole,
} from '@/server/access/authorize';
import { isForeignKeyViolation, notFoundIfMissing, type Tx } from '@/server/database/db';
import { keepDeleted } from '@/server/deleted-records/keep';
import { type DeletedRecord, restoreRows } from '@/server/deleted-records/restore';
import { AppError, notFound } from '@/server/errors';
import { escapeLike } from '@/server/list/search-key';
import { isPublicAddress } from '@/server/outbound/address/public-address';
import { addressLiteral } from '@/server/outbound/address/resolve';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { sha256 } from '@/server/secrets/crypto';
import { seal, tryToUnseal } from '@/server/secrets/sealing';
import { env } from '@/server/settings/env';
import { releaseDeliveriesOf } from './delivery/claim';
import type { SweepReport } from './delivery/deliverer';
import { failingAlert } from './delivery/finish';
import { deliverer, runningDeliverer } from './delivery/process';
import { newSecret } from './delivery/signature';
import { type ListWebhooks, webhookList } from './lists';
import { type Recent, recentDeliveries } from './recent';
import type {
  CreatedWebhook,
  CreateWebhook,
  ListedWebhook,
  RotatedSecret,
  RotateSecret,
  UpdateWebhook,
  Webhook,
} from './schema';

export { releaseDeliveriesOf };

const HOUR_MS = 3_600_000;
const MAX_TRACED = 100;
// Less than the minute after which most schedulers time out.
const SWEEP_TIMEOUT_MS = 50_000;

/** Called after events are committed, so that they don't wait for the next tick. No-op if no deliverer runs in this process. */
export function kickDeliveries(): void {
  runningDeliverer()?.kick();
}

/** For an external scheduler: attempts due deliveries, within the same limits as the process's own ticker. */
export function sweepDeliveries(): Promise<SweepReport> {
  return deliverer().sweep(SWEEP_TIMEOUT_MS);
}

const FAILING = { active: true, failuresInRow: { gt: 0 } };

/** @throws the errors of authorizeDomain */
export async function listWebhooks(ctx: ActorContext, input: ListWebhooks): Promise<Page<ListedWebhook>> {
  const { q, domain_id: domainId, active, failing, event } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const text = q && { contains: escapeLike(q), mode: 'insensitive' as const };
  const events = event && { hasSome: [event, ALL_EVENTS] };
  const filters = {
    AND: [
      domainFilter(ctx.actor),
      { domainId, active, events },
      failing === true ? FAILING : failing === false ? { NOT: FAILING } : {},
      text ? { OR: [{ name: text }, { url: text }] } : {},
    ],
  };
  return paginate(webhookList, input, {
    fetch: async ({ where, ...keyset }) => {
      const rows = await ctx.db.webhook.findMany({ ...keyset, select: FIELDS, where: { AND: [where, filters] } });
      const recent = await recentDeliveries(
        ctx.db,
        rows.map(({ id }) => id),
      );
      return rows.map((row): ListedRow => ({ ...row, recent: recent.get(row.id) }));
    },
    count: (take) => ctx.db.webhook.count({ where: filters, take }),
    present: presentListed,
  });
}

export async function getWebhook(ctx: ActorContext, { id }: { id: string }): Promise<Webhook> {
  return present(await requireWebhook(ctx, ctx.db, id));
}

/** Returns the secret, which no other call does. It is stored encrypted. */
export async function createWebhook(ctx: MutationContext, input: CreateWebhook): Promise<CreatedWebhook> {
  const domain = await requireWebhookDomain(ctx, input.domain_id);
  const { url, events, name, active } = input;
  requireReachable(url);
  const [id, secret] = [uuidv7(), newSecret()];
  const data = {
    id,
    url,
    events,
    name,
    active,
    domainId: domain?.id ?? null,
    secret: seal(`webhook.secret:${id}`, secret),
    createdBy: ctx.actor.admin.id,
    createdAt: ctx.clock.now(),
  };
  return ctx.transaction(async ({ tx, audit }) => {
    const row = await tx.webhook.create({ data, select: FIELDS }).catch(rethrowDeletedDomain);
    const webhook = present(row);
    await audit({ resource: `webhook:${id}`, domainId: row.domainId, before: null, after: withoutPath(webhook) });
    return { ...webhook, secret };
  });
}

/** Changes only the supplied fields. Pending deliveries use the new URL, and a new URL resets the failure count. */
export async function updateWebhook(ctx: MutationContext, input: UpdateWebhook): Promise<Webhook> {
  const { id, url, events, name, active } = input;
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const before = await requireWebhook(ctx, tx, id);
    const isMoved = url !== undefined && url !== before.url;
    if (isMoved) requireReachable(url);
    const data = { url, events, name, active, ...(isMoved && { failuresInRow: 0, failingSince: null }) };
    const row = await tx.webhook.update({ where: { id }, data, select: FIELDS }).catch(notFoundIfMissing('webhook'));
    if (isMoved || active === false) await resolveAlert(tx, failingAlert(before), ctx.clock.now());
    const after = present(row);
    await audit({
      resource: `webhook:${id}`,
      domainId: row.domainId,
      before: withoutPath(present(before)),
      after: withoutPath(after),
    });
    return after;
  });
}

/** Cancels its retries immediately. Its deliveries are deleted later by the retention job. */
export async function deleteWebhook(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await requireVersion();
    const row = await requireWebhook(ctx, tx, id);
    await keepDeleted(ctx, tx, {
      kind: 'webhook',
      id,
      name: row.name || new URL(row.url).host,
      domainId: row.domainId,
    });
    await tx.webhook.delete({ where: { id }, select: { id: true } });
    await resolveAlert(tx, failingAlert(row), ctx.clock.now());
    const before = withoutPath(present(row));
    await audit({ resource: `webhook:${id}`, domainId: row.domainId, before, after: null });
    return { message: `Webhook ${row.url} deleted.` };
  });
}

/** Restores a deleted webhook with its secret. It gets events from now on. @throws the errors of createWebhook */
export async function restoreWebhook(ctx: MutationContext, record: DeletedRecord): Promise<void> {
  requireRole(ctx.actor, 'admin');
  await requireWebhookDomain(ctx, record.domainId);
  await ctx.transaction(async ({ tx, audit }) => {
    await restoreRows(tx, record).catch(rethrowDeletedDomain);
    const after = withoutPath(present(await requireWebhook(ctx, tx, record.id)));
    await audit({ resource: `webhook:${record.id}`, domainId: record.domainId, before: null, after });
  });
}

function rethrowDeletedDomain(error: unknown): never {
  if (isForeignKeyViolation(error)) throw new AppError('DOMAIN_NOT_FOUND', 'The domain was deleted in the meantime.');
  throw error;
}

export async function rotateSecret(ctx: MutationContext, input: RotateSecret): Promise<RotatedSecret> {
  const { id, grace_hours: graceHours } = input;
  const secret = newSecret();
  return ctx.transaction(async ({ tx, audit }) => {
    const { domainId } = await requireWebhook(ctx, tx, id);
    const previous = graceHours === 0 ? null : await resealAsPrevious(tx, id);
    const previousSecretUntil = previous && new Date(ctx.clock.now().getTime() + graceHours * HOUR_MS);
    const data = { secret: seal(`webhook.secret:${id}`, secret), previousSecret: previous, previousSecretUntil };
    await tx.webhook.update({ where: { id }, data, select: { id: true } }).catch(notFoundIfMissing('webhook'));
    await audit({ resource: `webhook:${id}`, domainId, details: { grace_hours: graceHours } });
    return { secret, previous_valid_until: previousSecretUntil?.toISOString() ?? null };
  });
}

export type TracedDelivery = {
  id: string;
  webhookId: string;
  url: string;
  event: string;
  recipient: string;
  status: 'pending' | 'retrying' | 'delivered' | 'abandoned';
  attemptCount: number;
  at: Date;
};

/** The deliveries of a message's events to webhooks in the caller's domain scope: the last hop of its trace. */
export async function traceDeliveries(ctx: ActorContext, messageRowId: string): Promise<TracedDelivery[]> {
  if (!hasRole(ctx.actor.admin.role, 'admin')) return [];
  const domainIds = accessibleDomainIds(ctx.actor);
  return ctx.db.$queryRaw<TracedDelivery[]>`
    SELECT d.id, w.id AS "webhookId", w.url, e.type AS event, e.recipient, d.status::text AS status,
           d.attempt_count AS "attemptCount", coalesce(d.finished_at, d.created_at) AS at
      FROM event e JOIN webhook_delivery d ON d.event_id = e.id JOIN webhook w ON w.id = d.webhook_id
     WHERE e.message_row_id = ${messageRowId}::uuid
       AND (${domainIds}::uuid[] IS NULL OR w.domain_id = ANY (${domainIds}::uuid[]))
     ORDER BY at, d.id LIMIT ${MAX_TRACED}`;
}

/** @throws NOT_FOUND if it doesn't exist or is outside the caller's domain scope */
export async function requireWebhook(ctx: ActorContext, db: Tx, id: string): Promise<Row> {
  const row = await db.webhook.findFirst({ where: { AND: [{ id }, domainFilter(ctx.actor)] }, select: FIELDS });
  if (!row) throw notFound('webhook');
  return row;
}

/** Refuses an address that no delivery ever reaches, rather than failing each. Names are resolved for each delivery. */
function requireReachable(url: string): void {
  if (env().webhookAllowPrivateNetworks) return;
  const { hostname } = new URL(url);
  const address = addressLiteral(hostname);
  const isLocal = /(^|\.)localhost\.?$/.test(hostname);
  if (!isLocal && (address === null || isPublicAddress(address))) return;
  const message =
    `${hostname} is in a private network, where webhooks aren’t delivered. ` +
    'Enter a public host, or set WEBHOOK_ALLOW_PRIVATE_NETWORKS=true.';
  throw new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'url', message }] } });
}

/** A key scoped to domains can only create webhooks for those domains. */
async function requireWebhookDomain(ctx: ActorContext, domainId: string | null): Promise<AuthorizedDomain | null> {
  if (domainId !== null) return authorizeDomain(ctx, { id: domainId });
  if (!isScoped(ctx.actor)) return null;
  const message = 'This API key is scoped to domains. Set `domain_id` to one of them.';
  throw new AppError('API_KEY_DOMAIN_SCOPE', message, { details: { fields: [{ path: 'domain_id', message }] } });
}

/** Encrypts the secret again for the other column, since ciphertext is bound to its column. Null if its key is lost. */
async function resealAsPrevious(tx: Tx, id: string): Promise<Uint8Array<ArrayBuffer> | null> {
  await tx.$queryRaw`SELECT id FROM webhook WHERE id = ${id}::uuid FOR UPDATE`;
  const row = await tx.webhook.findUnique({ where: { id }, select: { secret: true } });
  if (!row) throw notFound('webhook');
  const secret = tryToUnseal(`webhook.secret:${id}`, row.secret);
  return secret === null ? null : seal(`webhook.previous_secret:${id}`, secret);
}

/**
 * For the audit log, which more admins can read than webhooks. The path of a URL often is its password, so a digest
 * replaces it, which still shows changes.
 */
function withoutPath(webhook: Webhook): Webhook {
  const { host, pathname, search } = new URL(webhook.url);
  const digest = Buffer.from(sha256(pathname + search))
    .toString('hex')
    .slice(0, 12);
  return { ...webhook, url: `https://${host}/… (sha256 ${digest})` };
}

/** Maps a row deleted by a concurrent request to 404. */
const FIELDS = {
  id: true,
  name: true,
  url: true,
  events: true,
  domainId: true,
  active: true,
  createdBy: true,
  failuresInRow: true,
  failingSince: true,
  previousSecretUntil: true,
  createdAt: true,
  updatedAt: true,
} satisfies Prisma.WebhookSelect;

type Row = Prisma.WebhookGetPayload<{ select: typeof FIELDS }>;

type ListedRow = Row & { recent: Recent | undefined };

function presentListed({ recent, ...row }: ListedRow): ListedWebhook {
  return {
    ...present(row),
    recent_deliveries: { finished: recent?.finished ?? 0, delivered: recent?.delivered ?? 0 },
    last_delivered_at: recent?.lastDeliveredAt?.toISOString() ?? null,
  };
}

function present(row: Row): Webhook {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: row.events,
    domain_id: row.domainId,
    active: row.active,
    created_by: row.createdBy,
    failures_in_row: row.failuresInRow,
    failing_since: row.failingSince?.toISOString() ?? null,
    previous_secret_until: row.previousSecretUntil?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
