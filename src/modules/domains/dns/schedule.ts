import { setTimeout } from 'node:timers/promises';
import type { Clock } from '@/server/clock';
import type { Database } from '@/server/database/db';
import { log } from '@/server/log';
import { storeCheck } from './results/store';
import { runCheck } from './run';

const AT_ONCE = 20;
// Leaves most of the CPU to requests, even if a thousand domains are due.
const START_EVERY_MS = 400;

/** Checks the domains that are due. Every instance runs this; a domain is claimed by one. */
export async function checkDueDomains(
  db: Database,
  clock: Clock,
  { atOnce = AT_ONCE, startEveryMs = START_EVERY_MS } = {},
): Promise<void> {
  const running = new Set<Promise<void>>();
  for (let id = await claimNext(db); id !== null; id = await claimNext(db)) {
    const check: Promise<void> = checkOne(db, id, clock).finally(() => running.delete(check));
    running.add(check);
    if (running.size >= atOnce) await Promise.race(running);
    await setTimeout(startEveryMs);
  }
  await Promise.all(running);
}

async function claimNext(db: Database): Promise<string | null> {
  // Spread over an hour, so that domains added together aren't checked together for ever.
  const [claimed] = await db.$queryRaw<{ id: string }[]>`
    UPDATE domain SET next_dns_check_at = now() + interval '45 minutes' + random() * interval '30 minutes'
     WHERE id = (SELECT id FROM domain WHERE next_dns_check_at <= now()
                  ORDER BY next_dns_check_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id`;
  return claimed?.id ?? null;
}

async function checkOne(db: Database, id: string, clock: Clock): Promise<void> {
  try {
    await runCheck(db, id, (checked) => db.$transaction((tx) => storeCheck(tx, id, { checked, at: clock.now() })));
  } catch (error) {
    log.error({ error, domain_id: id }, 'checking the DNS of a domain failed');
  }
}
