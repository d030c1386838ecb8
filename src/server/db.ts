import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from './prisma/client';
import { env } from './settings/env';

export type Tx = Prisma.TransactionClient;
export type Database = PrismaClient;

const POOL_SIZE = 12;
const CONNECT_TIMEOUT_MS = 5_000;
// Longer than any query of ours takes. DATABASE_URL may say otherwise: ?statement_timeout=60000
const STATEMENT_TIMEOUT_MS = 30_000;

function createDatabase(url: string): Database {
  const adapter = new PrismaPg({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // The adapter sends times without an offset, which Postgres reads in the session's zone.
    options: '-c TimeZone=UTC',
  });
  return new PrismaClient({ adapter, transactionOptions: { maxWait: 5_000, timeout: 10_000 } });
}

// Next loads instrumentation and routes as separate bundles; the pool is one for the process.
const shared = globalThis as typeof globalThis & { postroomDatabase?: Database };

export function database(): Database {
  shared.postroomDatabase ??= createDatabase(env().databaseUrl);
  return shared.postroomDatabase;
}

/** The unique constraint that an insert or update ran into, or null for any other failure. */
export function violatedConstraint(error: unknown): string | null {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError) || error.code !== 'P2002') return null;
  const cause = (error.meta?.driverAdapterError as { cause?: { constraint?: { index?: string; fields?: string[] } } })
    ?.cause?.constraint;
  return cause?.index ?? cause?.fields?.join(',') ?? '';
}

/** Whether the database could not be asked, or gave up on the answer, rather than refuse what it was asked. */
export function isDatabaseAway(error: unknown): boolean {
  for (let cause = error as Partial<Failure> | undefined, depth = 0; cause && depth < 6; depth++) {
    if ([cause.code, cause.originalCode].some((code) => typeof code === 'string' && AWAY.test(code))) return true;
    if (cause.name === 'PrismaClientInitializationError' || DISCONNECTED.test(cause.message ?? '')) return true;
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

// What the driver says, without a code, of a connection that broke or that none was free in time.
const DISCONNECTED =
  /^(Client (has encountered a connection error|was closed) and is not queryable|Connection terminated|timeout exceeded when trying to connect)/;

// Prisma's codes of a lost or missing connection, Postgres's of shutting down, refusing one, taking too long, having no
// room or taking no writes, and the system's.
const AWAY =
  /^(P10(01|02|08|17)|P20(24|28)|57014|57P0[1-3]|08\w{3}|53\w{3}|55000|58\w{3}|25006|ECONN(REFUSED|RESET)|E(HOST|NET)UNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)$/;

/** Whether the row to change or delete went away in the meantime. */
export function isMissingRow(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025';
}

/** Whether a row that others point at would have gone, or one they need is not there. */
export function isForeignKeyViolation(error: unknown): boolean {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  if (error.code !== 'P2010') return error.code === 'P2003';
  const failure = error.meta?.driverAdapterError as { cause?: { originalCode?: string } } | undefined;
  return failure?.cause?.originalCode === '23503';
}
