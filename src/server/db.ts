import { PrismaPg } from '@prisma/adapter-pg';
import { env } from './env';
import { Prisma, PrismaClient } from './prisma/client';

export type Tx = Prisma.TransactionClient;
export type Database = PrismaClient;

const POOL_SIZE = 12;
const CONNECT_TIMEOUT_MS = 5_000;

function createDatabase(url: string): Database {
  const adapter = new PrismaPg({ connectionString: url, max: POOL_SIZE, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
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

/** Whether a delete was refused because other rows still point at the row. */
export function isForeignKeyViolation(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2003';
}
