import { splitDestinations } from '@/lib/mail/destinations';
import { ADVISORY_LOCKS, lock } from '@/server/database/advisory-locks';
import { isForeignKeyViolation, type Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import type { AuditedTransaction, MutationContext } from '@/server/procedures/mutation';
import { processWide } from '@/server/process-wide';
import { createWriteQueue, type InTurn } from './write-queue';

const queueWrites = processWide<ReturnType<typeof createWriteQueue>>('alias writes');

/** The domain of a write's sources, and all of its destinations. */
type Touched = { domainId: string; destinations: readonly string[] };

type WriteAliases = <Result>(
  touched: Touched,
  work: (transaction: AuditedTransaction) => Promise<Result>,
) => Promise<Result>;

/**
 * Lets a call write aliases in transactions that lock the domains they touch, so that a chain can't form between two
 * concurrent writes. Writes of other domains aren't delayed.
 * @throws SERVICE_UNAVAILABLE when too many writes are queued; DOMAIN_NOT_FOUND if the domain is deleted meanwhile
 */
export async function writeAliases<Result>(
  ctx: MutationContext,
  work: (write: WriteAliases, inTurn: InTurn) => Promise<Result>,
): Promise<Result> {
  queueWrites.current ??= createWriteQueue();
  const runCall = queueWrites.current;
  const transactionOf =
    (inTurn: InTurn): WriteAliases =>
    (touched, change) =>
      inTurn(touched.domainId, () =>
        ctx.transaction(async (transaction) => {
          await lockDomains(transaction.tx, touched);
          return change(transaction);
        }),
      ).catch((error) => {
        throw isForeignKeyViolation(error) ? domainNotFound() : error;
      });
  return runCall(ctx.actor.admin.id, (inTurn) => work(transactionOf(inTurn), inTurn));
}

/** Locks in the order of the keys, so that no two writes wait for each other. */
async function lockDomains(tx: Tx, { domainId, destinations }: Touched): Promise<void> {
  const names = [
    ...new Set(destinations.flatMap(keysOf).map((address) => address.slice(address.lastIndexOf('@') + 1))),
  ];
  await tx.$executeRaw`SELECT pg_advisory_xact_lock_shared(${ADVISORY_LOCKS.aliases}::bigint)`;
  await tx.$executeRaw`
    SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.aliasesOfDomain}::int, key)
      FROM (SELECT DISTINCT hashtext(id::text) AS key FROM "domain"
             WHERE id = ${domainId}::uuid OR name = ANY(${names}::text[]) ORDER BY key) AS touched`;
}

/** Lets a transaction add a domain after the alias writes in progress, which lock only domains that exist. */
export async function waitForAliasWrites(tx: Tx): Promise<void> {
  await lock(tx, 'aliases');
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
