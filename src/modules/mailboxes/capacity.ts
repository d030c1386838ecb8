import type { AuthorizedDomain } from '@/server/access/authorize';
import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';

/** Locks the domain row, so that only this transaction adds mailboxes to it. */
export async function lockMailboxes(tx: Tx, domain: AuthorizedDomain): Promise<void> {
  await tx.$queryRaw`SELECT id FROM "domain" WHERE id = ${domain.id}::uuid FOR NO KEY UPDATE`;
}

/** Takes the lock, so concurrent requests can't exceed the domain's limit. @throws CONFLICT; DOMAIN_NOT_FOUND */
export async function requireMailboxCapacity(
  tx: Tx,
  domain: AuthorizedDomain,
  more = 1,
): Promise<{ defaultQuotaBytes: bigint | null }> {
  await lockMailboxes(tx, domain);
  const found = await tx.domain.findUnique({
    where: { id: domain.id },
    select: { maxMailboxes: true, defaultQuotaBytes: true, _count: { select: { mailboxes: true } } },
  });
  if (!found) throw new AppError('DOMAIN_NOT_FOUND', 'The domain was deleted in the meantime.');
  const { maxMailboxes, defaultQuotaBytes, _count } = found;
  if (maxMailboxes === null || _count.mailboxes + more <= maxMailboxes) return { defaultQuotaBytes };
  throw new AppError(
    'CONFLICT',
    `The domain ${domain.name} has ${_count.mailboxes} of at most ${maxMailboxes} mailboxes. Delete some or raise the limit.`,
    { details: { limit: maxMailboxes, count: _count.mailboxes } },
  );
}
