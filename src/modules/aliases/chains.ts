import pLimit from 'p-limit';
import type { Database, Tx } from '@/server/db';
import { AppError } from '@/server/errors';

const ALIAS_LOCK = 7_203_002;

const MAX_WAITING = 50;

// Those of one process wait here and not in the database, where each would hold a connection that others need.
const writing = pLimit(1);

/**
 * A transaction that writes aliases. They wait for each other, so that of two that would chain the second sees the first.
 * @throws SERVICE_UNAVAILABLE where too many wait
 */
export async function writeAliases<Result>(db: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  if (writing.pendingCount >= MAX_WAITING) {
    throw new AppError('SERVICE_UNAVAILABLE', 'Too many aliases are being written. Try again in a moment.', {
      headers: { 'Retry-After': '2' },
    });
  }
  return writing(() =>
    db.$transaction(async (tx) => {
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${ALIAS_LOCK}::bigint)`;
      return work(tx);
    }),
  );
}

/** Which of these lower-case addresses are exact alias sources, in any managed domain. */
export async function findSources(tx: Tx, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ address: string }[]>`
    SELECT given.address
      FROM unnest(${[...addresses]}::text[]) AS given(address)
      JOIN "domain" d ON d.name = split_part(given.address, '@', 2)
      JOIN alias a ON a.domain_id = d.id AND a.source_local_part = split_part(given.address, '@', 1)
     WHERE a.source_local_part <> ''`;
  return new Set(rows.map(({ address }) => address));
}

/** Which of these lower-case addresses some alias leads to already. */
export async function findDestinations(tx: Tx, addresses: readonly string[]): Promise<Set<string>> {
  const rows = await tx.$queryRaw<{ address: string }[]>`
    SELECT given.address
      FROM unnest(${[...addresses]}::text[]) AS given(address)
     WHERE EXISTS (SELECT 1 FROM alias a WHERE a.destination_keys @> ARRAY[given.address])`;
  return new Set(rows.map(({ address }) => address));
}

/** Aliases rule 3: no chaining. Looks both ways: at what the new alias leads to, and at what leads to it. */
export async function refuseChain(tx: Tx, own: string, destination: string, isNew: boolean): Promise<void> {
  const keys = keysOf(destination);
  const sources = await findSources(tx, keys);
  const next = keys.find((key) => key === own || sources.has(key));
  if (next !== undefined) throw leadsToAlias(next);
  if (isNew && !own.startsWith('@') && (await findDestinations(tx, [own])).size > 0) throw isDestination(own);
}

export function leadsToAlias(address: string): AppError {
  const message = `${address} is an alias itself, and aliases do not chain. Name where that one leads.`;
  return new AppError('ALIAS_CHAIN', message, { details: { fields: [{ path: 'destination', message }], address } });
}

export function isDestination(address: string): AppError {
  const message = `Another alias leads to ${address}, and aliases do not chain.`;
  return new AppError('ALIAS_CHAIN', message, {
    details: { fields: [{ path: 'source_local_part', message }], address },
  });
}

export function keysOf(destination: string): string[] {
  return destination.toLowerCase().split(',');
}
