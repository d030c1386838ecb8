import { getDomain } from 'tldts';
import type { Clock } from '@/server/clock';
import type { Database } from '@/server/database/db';
import { createResolver, type DnsServer, type Resolver } from '@/server/dns/resolver';
import { reverseName } from '@/server/dns/reverse-name';

const BATCH_SIZE = 20;
const BATCHES_PER_RUN = 10;
const BATCH_TIMEOUT_MS = 15_000;
const RECHECK_DAYS = 30;
const RETRY_HOURS = 6;
const HOST_NAME = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63}){1,20}$/;

/** Looks up host names of addresses in reports, a few at a time. Every instance runs this; an address is claimed by one. */
export async function lookUpHosts(db: Database, servers: DnsServer[], clock: Clock): Promise<void> {
  for (let batch = 0; batch < BATCHES_PER_RUN; batch++) {
    const claimed = await db.$queryRaw<{ ip: string }[]>`
      UPDATE report_host SET next_lookup_at = now() + make_interval(hours => ${RETRY_HOURS})
       WHERE ip IN (SELECT ip FROM report_host WHERE next_lookup_at <= now()
                     ORDER BY next_lookup_at LIMIT ${BATCH_SIZE} FOR UPDATE SKIP LOCKED)
      RETURNING ip`;
    const resolver = createResolver({ servers, signal: AbortSignal.timeout(BATCH_TIMEOUT_MS) });
    await Promise.all(claimed.map(({ ip }) => lookUp(db, resolver, ip, clock.now())));
    if (claimed.length < BATCH_SIZE) return;
  }
}

/** After a failure the address is due again later, as claimed. */
async function lookUp(db: Database, resolver: Resolver, ip: string, at: Date): Promise<void> {
  const { status, values } = await resolver.lookup(reverseName(ip), 'PTR');
  if (status === 'temporary_error') return;
  const hostname = values.map((value) => value.toLowerCase()).find((value) => HOST_NAME.test(value)) ?? null;
  const organisation = hostname && getDomain(hostname);
  await db.$executeRaw`
    UPDATE report_host SET hostname = ${hostname}, organisation = ${organisation}, looked_up_at = ${at},
                           next_lookup_at = now() + make_interval(days => ${RECHECK_DAYS})
     WHERE ip = ${ip}`;
}
