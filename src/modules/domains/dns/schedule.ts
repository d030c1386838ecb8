import type { Clock } from '@/server/clock';
import type { Database } from '@/server/db';
import { log } from '@/server/log';
import { runCheck } from './service';
import { storeCheck } from './store';

const AT_ONCE = 5;

/** Checks the domains that are due, a few at a time. Every instance runs this; a domain is claimed by one. */
export async function checkDueDomains(db: Database, clock: Clock): Promise<void> {
  for (;;) {
    // Spread over an hour, so that domains added together aren't checked together for ever.
    const claimed = await db.$queryRaw<{ id: string }[]>`
      UPDATE domain SET next_dns_check_at = now() + interval '45 minutes' + random() * interval '30 minutes'
       WHERE id IN (SELECT id FROM domain WHERE next_dns_check_at <= now()
                     ORDER BY next_dns_check_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED)
      RETURNING id`;
    await Promise.all(claimed.map(({ id }) => checkOne(db, id, clock)));
    if (claimed.length < AT_ONCE) return;
  }
}

async function checkOne(db: Database, id: string, clock: Clock): Promise<void> {
  try {
    const checked = await runCheck(db, id);
    if (!checked) return;
    await db.$transaction(async (tx) => {
      const exists = (await tx.domain.count({ where: { id } })) > 0;
      if (exists) await storeCheck(tx, id, { checked, at: clock.now() });
    });
  } catch (error) {
    log.error({ error, domain_id: id }, 'checking the DNS of a domain failed');
  }
}
