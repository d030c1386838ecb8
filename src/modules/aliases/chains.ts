import pLimit from 'p-limit';
import { splitDestinations } from '@/lib/mail/destinations';
import { isForeignKeyViolation, type Tx } from '@/server/db';
import { AppError } from '@/server/errors';
import type { AuditedTransaction, MutationContext } from '@/server/procedures/mutation';

const ALIAS_LOCK = 7_203_002;

const MAX_QUEUED = 50;

// Writers in one process queue here rather than on the database lock, where each would hold a pooled connection.
const writeQueue = pLimit(1);

/**
 * Runs a transaction that writes aliases, one at a time, so a chain can't form between two concurrent writes.
 * @throws SERVICE_UNAVAILABLE when too many writes are queued; DOMAIN_NOT_FOUND if the domain is deleted meanwhile
 */
export async function writeAliases<Result>(
  ctx: MutationContext,
  work: (transaction: AuditedTransaction) => Promise<Result>,
): Promise<Result> {
  if (writeQueue.pendingCount >= MAX_QUEUED) {
    throw new AppError('SERVICE_UNAVAILABLE', 'Too many alias changes are in progress. Try again in a few seconds.', {
      headers: { 'Retry-After': '2' },
    });
  }
  return writeQueue(() =>
    ctx.transaction(async ({ tx, audit }) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ALIAS_LOCK}::bigint)`;
      return work({ tx, audit });
    }),
  ).catch((error) => {
    throw isForeignKeyViolation(error) ? domainNotFound() : error;
  });
}

export function domainNotFound(): AppError {
  return new AppError('DOMAIN_NOT_FOUND', 'The domain was deleted in the meantime.');
}

/** Returns which of these lower-case addresses are alias sources in any managed domain. Ignores catch-alls. */
export async function findSources(tx: Tx, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ address: string }[]>`
    SELECT given.address
      FROM unnest(${[...addresses]}::text[]) AS given(address)
      JOIN "domain" d ON d.name = split_part(given.address, '@', 2)
      JOIN alias a ON a.domain_id = d.id AND a.source_local_part = split_part(given.address, '@', 1)
     WHERE a.source_local_part <> ''`;
  return new Set(rows.map(({ address }) => address));
}

/** Returns which of these lower-case addresses are destinations of an existing alias. */
export async function findDestinations(tx: Tx, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ address: string }[]>`
    SELECT given.address
      FROM unnest(${[...addresses]}::text[]) AS given(address)
     WHERE EXISTS (SELECT 1 FROM alias a WHERE a.destination_keys @> ARRAY[given.address])`;
  return new Set(rows.map(({ address }) => address));
}

/**
 * Rejects a destination that is an alias, and a new source that is already a destination (docs/api-contract.md).
 * @throws ALIAS_CHAIN
 */
export async function rejectChain(tx: Tx, source: string, destination: string, isNew: boolean): Promise<void> {
  const keys = keysOf(destination);
  const sources = await findSources(tx, keys);
  const next = keys.find((key) => key === source || sources.has(key));
  if (next !== undefined) throw destinationIsAlias(next);
  if (isNew && !source.startsWith('@') && (await findDestinations(tx, [source])).size > 0)
    throw sourceIsDestination(source);
}

export function destinationIsAlias(address: string): AppError {
  const message = `${address} is an alias, and aliases can’t be chained. Enter its destinations instead.`;
  return new AppError('ALIAS_CHAIN', message, { details: { fields: [{ path: 'destination', message }], address } });
}

export function sourceIsDestination(address: string): AppError {
  const message = `${address} is already a destination of another alias, and aliases can’t be chained. Choose another address.`;
  return new AppError('ALIAS_CHAIN', message, {
    details: { fields: [{ path: 'source_local_part', message }], address },
  });
}

export function keysOf(destination: string): string[] {
  return splitDestinations(destination.toLowerCase());
}
