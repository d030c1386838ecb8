import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter, SqlDriverAdapterFactory, SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import { statementName } from '../prepared';

type Fallback = { primary: pg.Pool; onFailure: (error: unknown) => void };

/**
 * Connects Prisma to a replica. A query that fails there runs on the primary instead, whatever the reason: the replica is
 * away, canceled the query to replay a change, or does not have the latest tables yet.
 */
export function replicaAdapter(pool: pg.Pool, { primary, onFailure }: Fallback): SqlDriverAdapterFactory {
  const source = new PrismaPg(primary, { statementNameGenerator: statementName });
  const replica = new PrismaPg(pool, {
    onPoolError: onFailure,
    onConnectionError: onFailure,
    statementNameGenerator: statementName,
  });
  return {
    provider: replica.provider,
    adapterName: replica.adapterName,
    async connect() {
      const [first, second] = [await replica.connect(), await source.connect()];
      const orElse = async <Result>(onReplica: () => Promise<Result>, onPrimary: () => Promise<Result>) => {
        try {
          return await onReplica();
        } catch (error) {
          if (isFinal(error)) throw error;
          onFailure(error);
          return onPrimary();
        }
      };
      return {
        provider: first.provider,
        adapterName: first.adapterName,
        queryRaw: (query: SqlQuery): Promise<SqlResultSet> =>
          orElse(
            () => first.queryRaw(query),
            () => second.queryRaw(query),
          ),
        executeRaw: (query: SqlQuery) => second.executeRaw(query),
        // Queries of a transaction must see one snapshot, so it can't move to the primary midway.
        startTransaction: (isolation) => second.startTransaction(isolation),
        executeScript: (script) => second.executeScript(script),
        getConnectionInfo: () => first.getConnectionInfo(),
        async dispose() {
          await Promise.all([first.dispose(), second.dispose()]);
        },
      } satisfies SqlDriverAdapter;
    },
  };
}

/** A query that is too slow for the replica would be too slow for the primary, and one that writes is a mistake. */
function isFinal(error: unknown): boolean {
  const { cause } = error as { cause?: { originalCode?: unknown } };
  return cause?.originalCode === '57014' || cause?.originalCode === '25006';
}
