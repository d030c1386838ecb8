import { authorizeDomain, domainFilter } from '@/server/access/authorize';
import { insertAuditEntry } from '@/server/audit';
import { notFound } from '@/server/errors';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import { unsealBytes } from '@/server/secrets/sealing';
import type { DropReason, GetUnreadBounces, UnreadBounces } from './schema';
import { unreadPlace } from './unread';

const MAX_SHOWN = 200;
const DOMAIN = { select: { name: true } } as const;

/** Addresses at the mail host have no domain, so only callers with access to every domain see them. */
export async function getUnreadBounces(
  ctx: ActorContext,
  { domain_id: domainId }: GetUnreadBounces,
): Promise<UnreadBounces> {
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const where = domainId ? { domainId } : domainFilter(ctx.actor);
  const [dropped, unread] = await Promise.all([
    ctx.db.droppedBounce.findMany({
      where,
      include: { domain: DOMAIN },
      orderBy: [{ lastAt: 'desc' }, { id: 'desc' }],
      take: MAX_SHOWN,
    }),
    ctx.db.unreadBounce.findMany({
      where,
      omit: { raw: true },
      include: { domain: DOMAIN },
      orderBy: [{ receivedAt: 'desc' }, { id: 'desc' }],
      take: MAX_SHOWN,
    }),
  ]);
  return {
    dropped: dropped.map(({ domainId: id, domain, reason, count, lastAt }) => ({
      domain_id: id,
      domain: domain?.name ?? null,
      reason: reason as DropReason,
      count,
      last_at: lastAt.toISOString(),
    })),
    unread: unread.map(({ id, domainId: ofDomain, domain, address, sizeBytes, receivedAt }) => ({
      id,
      domain_id: ofDomain,
      domain: domain?.name ?? null,
      address,
      size: sizeBytes,
      received_at: receivedAt.toISOString(),
    })),
  };
}

/** The start of an unread bounce as a file, with an audit entry. @throws NOT_FOUND */
export async function downloadUnreadBounce(ctx: ActorContext, { id }: { id: string }): Promise<FileOutput> {
  const { db, actor } = ctx;
  const row = await db.unreadBounce.findFirst({ where: { AND: [{ id }, domainFilter(actor)] } });
  if (!row) throw notFound('unread bounce');
  const raw = unsealBytes(unreadPlace(id), row.raw);
  const { domainId, address } = row;
  const entry = { resource: `unread_bounce:${id}`, domainId, outcome: 'success' as const, actor, details: { address } };
  await insertAuditEntry(db, ctx, { action: 'message.download', ...entry });
  return { filename: 'bounce.eml', chunks: oneChunk(raw) };
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
