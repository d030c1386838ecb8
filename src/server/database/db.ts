import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import { notFound } from '../errors';
import { reportPool } from '../metrics/pools';
import { Prisma, PrismaClient } from '../prisma/client';
import { processWide } from '../process-wide';
import { env } from '../settings/env';
import { connectionTo, createConnections, type PoolOptions } from './connection';
import { withDirectQueries } from './direct-queries';
import { statementName } from './prepared';

export type Tx = Prisma.TransactionClient;
export type Database = PrismaClient;

const CONNECT_TIMEOUT_MS = 5_000;
// Longer than what runs in the background waits, since connecting costs more than most statements.
const IDLE_TIMEOUT_MS = 90_000;
/** After a failover, a proxy may keep the connections to the former server, which can only be read. */
const MAX_LIFETIME_SECONDS = 600;
const MAX_CONNECTIONS = 12;
const MAX_READS = 10;
// Longer than any of our statements. Override them in DATABASE_URL: ?statement_timeout=60000
const STATEMENT_TIMEOUT_MS = 30_000;
const READ_TIMEOUT_MS = 10_000;

const main = processWide<Database>('database');
const reads = processWide<Database>('read database');
const pool = processWide<pg.Pool>('read pool');

export function database(): Database {
  main.current ??= withDirectQueries(
    new PrismaPg(
      createPool('main', {
        ...connectionTo(env().databaseUrl),
        max: MAX_CONNECTIONS,
        statement_timeout: STATEMENT_TIMEOUT_MS,
      }),
      { disposeExternalPool: true, statementNameGenerator: statementName },
    ),
    toDatabase,
  );
  return main.current;
}

/** The connections of queries. Slow ones take none from sign-in, sending and changes, which use `database()`. */
export function readDatabase(): Database {
  reads.current ??= withDirectQueries(
    new PrismaPg(readPool(), { disposeExternalPool: true, statementNameGenerator: statementName }),
    toDatabase,
  );
  return reads.current;
}

export function readPool(): pg.Pool {
  pool.current ??= createPool('reads', readPoolOptions(env().databaseUrl));
  return pool.current;
}

/** One connection of its own, for what has to go on while requests hold all the others. End it with `$disconnect()`. */
export function separateDatabase(): Database {
  const connection = createConnections({
    ...connectionTo(env().databaseUrl),
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: READ_TIMEOUT_MS,
  });
  return toDatabase(new PrismaPg(connection, { disposeExternalPool: true }));
}

function createPool(name: 'main' | 'reads', options: PoolOptions): pg.Pool {
  const created = createConnections({
    ...options,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
  });
  reportPool(name, created);
  return created;
}

/** Read-only, so that a query that writes fails with or without a replica. */
export function readPoolOptions(url: string): PoolOptions {
  return {
    ...connectionTo(url, 'default_transaction_read_only=on'),
    max: MAX_READS,
    statement_timeout: READ_TIMEOUT_MS,
  };
}

export function toDatabase(adapter: SqlDriverAdapterFactory): Database {
  return new PrismaClient({ adapter, transactionOptions: { maxWait: 5_000, timeout: 10_000 } });
}

/** The name of the unique constraint that an insert or update violated, or null. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return null;
  const { cause } = (error.meta?.driverAdapterError ?? {}) as { cause?: UniqueViolation };
  // A statement of our own has a code of its own for all that Postgres rejects.
  if (error.code !== 'P2002' && cause?.originalCode !== UNIQUE_VIOLATION) return null;
  return cause?.constraint?.index ?? cause?.constraint?.fields?.join(',') ?? '';
}

/** Whether the database is unreachable or timed out, as opposed to rejecting the statement. */
export function isDatabaseAway(error: unknown): boolean {
  return someCause(error, ({ code, originalCode, name, message = '' }) => {
    if ([code, originalCode].some((one) => typeof one === 'string' && AWAY.test(one))) return true;
    return name === 'PrismaClientInitializationError' || DISCONNECTED.test(message);
  });
}

/** Whether the disk of the database server is full. */
export function isDatabaseFull(error: unknown): boolean {
  return someCause(error, ({ code, originalCode }) => [code, originalCode].includes(DISK_FULL));
}

/** Whether the same transaction may succeed later: the database was away, or another transaction was in the way. */
export function isRetryable(error: unknown): boolean {
  const isConflict = (code: unknown) => typeof code === 'string' && CONFLICT.test(code);
  return isDatabaseAway(error) || someCause(error, (cause) => isConflict(cause.code) || isConflict(cause.originalCode));
}

function someCause(error: unknown, matches: (cause: Partial<Failure>) => boolean): boolean {
  for (let cause = error as Partial<Failure> | undefined, depth = 0; cause && depth < 6; depth++) {
    if (matches(cause)) return true;
    cause = (cause.cause ?? cause.meta?.driverAdapterError) as Partial<Failure> | undefined;
  }
  return false;
}

type Failure = {
  name: string;
  message: string;
  code: unknown;
  originalCode: unknown;
  cause: unknown;
  meta: { driverAdapterError?: unknown };
};

// Driver messages without a code: a broken connection, or no free connection in time.
const DISCONNECTED =
  /^(Client (has encountered a connection error|was closed) and is not queryable|Connection terminated|timeout exceeded when trying to connect)/;

// Codes of Prisma (lost or missing connection), Postgres (shutdown, refused connection, timeout, out of resources,
// read-only) and the operating system.
const AWAY =
  /^(P10(01|02|08|17)|P20(24|28)|57014|57P0[1-3]|08\w{3}|53\w{3}|55000|58\w{3}|25006|ECONN(REFUSED|RESET)|E(HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)$/;

const DISK_FULL = '53100';

const UNIQUE_VIOLATION = '23505';

type UniqueViolation = { originalCode?: string; constraint?: { index?: string; fields?: string[] } };

const FOREIGN_KEY_VIOLATION = '23503';

// A deadlock, or a transaction that can't be put in order with another one.
const CONFLICT = /^(P2034|40P01|40001)$/;

/** Whether the row to update or delete no longer exists. */
export function isMissingRow(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025';
}

/** For a failed update or delete. @throws NOT_FOUND for `what` if the row no longer exists, else the error itself */
export function notFoundIfMissing(what: string) {
  return (error: unknown): never => {
    throw isMissingRow(error) ? notFound(what) : error;
  };
}

/** Whether a foreign key was violated: a referenced row is missing or still in use. */
export function isForeignKeyViolation(error: unknown): boolean {
  return isViolation(error, ['P2003', FOREIGN_KEY_VIOLATION]);
}

/** Whether a unique constraint was violated, also by a statement of our own. */
export function isUniqueViolation(error: unknown): boolean {
  return isViolation(error, ['P2002', UNIQUE_VIOLATION]);
}

function isViolation(error: unknown, codes: readonly string[]): boolean {
  return someCause(error, (cause) => [cause.code, cause.originalCode].some((code) => codes.includes(String(code))));
}
