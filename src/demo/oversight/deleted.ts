import { keepDeleted } from '@/server/deleted-records/keep';
import type { DemoContext } from '../demo-context';
import type { DemoAdmin } from '../directory/admins';
import type { DemoDomain } from '../directory/domains';
import { DAY_MS, inOfficeHours } from '../time';
import type { DemoEntry } from './audit-entry';
import { contextOf } from './records';

/** Aliases of a domain that can be restored, and how long ago they were deleted. */
const ALIASES = [
  { source: 'summer-offer', days: 1 },
  { source: 'recruiting', days: 8 },
  { source: 'old-shop', days: 22 },
];

/** @returns what the audit log has about the deletions */
export async function seedDeleted(
  demo: DemoContext,
  { id: domainId, name: domain, createdAt }: DemoDomain,
  [admin]: readonly [DemoAdmin, ...DemoAdmin[]],
): Promise<DemoEntry[]> {
  const { tx, now, random } = demo;
  const entries: DemoEntry[] = [];
  for (const { source, days } of ALIASES) {
    const [id, at, name] = [random.uuidAt(createdAt), inOfficeHours(random, now, days * DAY_MS), `${source}@${domain}`];
    const alias = { destination: `hello@${domain}`, active: true };
    await tx.alias.create({
      select: { id: true },
      data: { id, domainId, sourceLocalPart: source, ...alias, createdAt, updatedAt: createdAt },
    });
    await keepDeleted(contextOf({ ...demo, now: at }, admin), tx, { kind: 'alias', id, name, domainId });
    await tx.alias.delete({ where: { id }, select: { id: true } });
    const details = { before: { id, domain_id: domainId, domain, address: name, ...alias }, after: null };
    entries.push({ at, action: 'alias.delete', resource: `alias:${id}`, domainId, admin, details });
  }
  return entries;
}
