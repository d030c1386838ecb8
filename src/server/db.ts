import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from './prisma/client';
import { processWide } from './process-wide';
import { env } from './settings/env';

export type Tx = Prisma.TransactionClient;
export type Database = PrismaClient;

const CONNECT_TIMEOUT_MS = 5_000;
// Longer than any of our statements. Override it in DATABASE_URL: ?statement_timeout=60000
const MAIN_POOL = { size: 12, statementTimeoutMs: 30_000 };
const READ_POOL = { size: 10, statementTimeoutMs: 10_000 };

function createDatabase(url: string, pool: { size: number; statementTimeoutMs: number }): Database {
  const adapter = new PrismaPg({
    connectionString: url,
    max: pool.size,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: pool.statementTimeoutMs,
    // The adapter sends times without an offset, and Postgres reads them in the session's time zone.
    options: '-c TimeZone=UTC',
  });
  return new PrismaClient({ adapter, transactionOptions: { maxWait: 5_000, timeout: 10_000 } });
}

const main = processWide<Database>('database');
const reads = processWide<Database>('read database');

export function database(): Database {
  main.current ??= createDatabase(env().databaseUrl, MAIN_POOL);
  return main.current;
}

/** The connections of queries. Slow ones take none from sign-in, sending and changes, which use `database()`. */
export function readDatabase(): Database {
  reads.current ??= createDatabase(env().databaseUrl, READ_POOL);
  return reads.current;
}

/** The name of the unique constraint that an insert or update violated, or null. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== 'P2002') return null;
  const cause = (error.meta?.driverAdapterError as { cause?: { constraint?: { index?: string; fields?: string[] } } })
    ?.cause?.constraint;
  return cause?.index ?? cause?.fields?.join(',') ?? '';
}

/** Whether the database is unreachable or timed out, as opposed to rejecting the statement. */
export function isDatabaseAway(error: unknown): boolean {
  return someCause(error, ({ code, originalCode, name, message = '' }) => {
    if ([code, originalCode].some((one) => typeof one === 'string' && AWAY.test(one))) return true;
    return name === 'PrismaClientInitializationError' || DISCONNECTED.test(message);
  });
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

// A deadlock, or a transaction that can't be put in order with another one.
const CONFLICT = /^(P2034|40P01|40001)$/;

/** Whether the row to update or delete no longer exists. */
export function isMissingRow(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025';
}

/** Whether a foreign key was violated: a referenced row is missing or still in use. */
export function isForeignKeyViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  if (error.code !== 'P2010') return error.code === 'P2003';
  const failure = error.meta?.driverAdapterError as { cause?: { originalCode?: string } } | undefined;
  return failure?.cause?.originalCode === '23503';
}
