import type { Tx } from '@/server/database/db';
import { mailHostName } from '../dns/checking/facts';
import type { PublishedDomain } from './mta-sts';

/** A managed, active domain. Inactive domains publish nothing, like domains of others. */
export async function findPublishedDomain(db: Tx, name: string): Promise<PublishedDomain | null> {
  const [domain, mailHost] = await Promise.all([
    db.domain.findFirst({
      where: { name, active: true },
      select: { name: true, mtaStsMode: true, otherMxHosts: true },
    }),
    mailHostName(db),
  ]);
  return domain && { ...domain, mailHost };
}
