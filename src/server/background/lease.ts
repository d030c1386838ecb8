import { setTimeout } from 'node:timers/promises';
import { isDatabaseAway } from '../database/db';
import { Prisma } from '../prisma/client';

const RETRY_PAUSE_MS = 1_000;

/**
 * The SQL of leases on the rows of a table. A claim of a row writes a new `lease_token` and the time at which the lease ends, in
 * database time. The token is a fencing token: once another process has claimed the row, nothing that the former holder writes
 * takes effect. A lease that has ended, but that nobody has claimed, can still be renewed and used.
 * @param endsAt the column of that time. Work that is due again when its lease ends has one column for both.
 */
export function leaseOf(seconds: number, endsAt: 'leased_until' | 'next_attempt_at' | 'due_at' = 'leased_until') {
  const column = Prisma.raw(endsAt);
  const end = Prisma.sql`now() + make_interval(secs => ${seconds})`;
  return {
    seconds,
    /** The end of a lease that begins now, for rows that are inserted with one. */
    end,
    /** Assigns the lease to the holder of the token. */
    claim: (token: string) => Prisma.sql`lease_token = ${token}::uuid, ${column} = ${end}`,
    /** Extends the lease. An update that does so also locks the row, so that nobody claims it until the transaction ends. */
    renew: Prisma.sql`${column} = ${end}`,
    /** Gives the lease back. The work is due after so many seconds. */
    release: (delaySeconds = 0) =>
      Prisma.sql`lease_token = NULL, ${column} = now() + make_interval(secs => ${delaySeconds})`,
    isHeldBy: (token: string) => Prisma.sql`lease_token = ${token}::uuid`,
    /** For tables where a lease that has ended means that the work has. */
    isRunning: Prisma.sql`${column} > now()`,
    isOver: Prisma.sql`${column} <= now()`,
  };
}

/** Stores the outcome of leased work. While the database is away it retries, for as long as the lease may last. */
export async function storeWhileLeased<Result>(seconds: number, store: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store();
    } catch (error) {
      if (attempt === seconds || !isDatabaseAway(error)) throw error;
      await setTimeout(RETRY_PAUSE_MS);
    }
  }
}
