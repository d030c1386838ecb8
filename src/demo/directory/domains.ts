import { dkimKeyRow, makeDkimKeyPair } from '@/modules/domains/dkim/keys';
import { type DemoContext, scaled } from '../demo-context';
import { before, DAY_MS, inOfficeHours } from '../time';
import { COMPANIES } from './companies';

export type DemoDomain = { id: string; name: string; active: boolean; createdAt: Date; weight: number };

type KeyPlan = { status: 'pending' | 'active' | 'retired'; selector: string; ageDays: number; isEd25519?: boolean };

const INACTIVE_AT_END = 3;
/** The app creates the first DKIM key of these domains shortly after it starts. */
export const WITHOUT_KEY = new Set(['staging.alderbrook.test', 'staging.nordwind.test', 'mailcheck.test']);
const GB = 1024 ** 3;

/** Domains by traffic; the last ones are inactive. */
export async function seedDomains(ctx: DemoContext): Promise<DemoDomain[]> {
  const { tx, now, random } = ctx;
  const count = Math.min(COMPANIES.length, scaled(ctx, COMPANIES.length, 10));
  const companies = [...COMPANIES.slice(0, count - INACTIVE_AT_END), ...COMPANIES.slice(-INACTIVE_AT_END)];
  const domains = companies.map(([name, description], index) => {
    const active = index < count - INACTIVE_AT_END;
    const createdAt = inOfficeHours(random, now, (700 - index * 15 - random.int(0, 9)) * DAY_MS);
    const id = random.uuidAt(createdAt);
    const weight = active ? 1 / (index + 2) : 0;
    return { id, name, description, active, createdAt, weight };
  });
  await tx.domain.createMany({
    data: domains.map(({ weight: _, ...domain }, index) => ({
      ...domain,
      defaultQuotaBytes: random.weighted([
        [null, 2],
        [BigInt(2 * GB), 2],
        [BigInt(5 * GB), 4],
        [BigInt(20 * GB), 1],
      ]),
      hourlySendLimit:
        index === RATE_LIMITED
          ? 120
          : random.weighted([
              [null, 5],
              [250, 2],
              [500, 2],
              [2_000, 1],
            ]),
      mtaStsMode: index === 0 ? ('enforce' as const) : index % 6 === 1 ? ('testing' as const) : ('none' as const),
      // Nobody answers the demo's DNS questions.
      nextDnsCheckAt: new Date('2100-01-01'),
      updatedAt: domain.active ? before(now, random.int(1, 90) * DAY_MS) : before(now, random.int(12, 40) * DAY_MS),
    })),
  });
  await seedDkimKeys(ctx, domains);
  return domains;
}

/** Index of the domain that recently reached its hourly limit. */
export const RATE_LIMITED = 9;

/** Sets limits once the counts are known; some domains are full. */
export async function limitDomains({ tx, random }: DemoContext): Promise<void> {
  const domains = await tx.domain.findMany({
    orderBy: { createdAt: 'asc' },
    select: { id: true, _count: { select: { mailboxes: true, aliases: true } } },
  });
  for (const [index, { id, _count }] of domains.entries()) {
    const room = (used: number, step: number) => Math.max(step, Math.ceil(used / step) * step + step);
    const maxMailboxes = index % 9 === 4 ? Math.max(1, _count.mailboxes) : room(_count.mailboxes, 10);
    const maxAliases = room(_count.aliases, 25);
    const data = random.chance(0.25) ? { maxMailboxes: null, maxAliases: null } : { maxMailboxes, maxAliases };
    await tx.domain.update({ where: { id }, data, select: { id: true } });
  }
}

async function seedDkimKeys({ tx, now, random }: DemoContext, domains: readonly DemoDomain[]): Promise<void> {
  const planned = domains.flatMap((domain, index) =>
    WITHOUT_KEY.has(domain.name) ? [] : keysOf(index).map((plan) => ({ domain, plan })),
  );
  const pairs = await Promise.all(planned.map(({ plan }) => makeDkimKeyPair(plan.isEd25519 ? 'ed25519' : 'rsa-2048')));
  const rows = planned.map(({ domain, plan }, index) => {
    const { status, selector, ageDays } = plan;
    const madeAt = inOfficeHours(random, now, ageDays * DAY_MS);
    const at = new Date(Math.max(domain.createdAt.getTime(), madeAt.getTime()));
    const row = dkimKeyRow(pairs[index] as (typeof pairs)[number], { status, selector, at });
    const isUsed = status !== 'pending';
    return {
      ...row,
      domainId: domain.id,
      activatedAt: isUsed ? new Date(at.getTime() + DAY_MS) : null,
      retiredAt: status === 'retired' ? inOfficeHours(random, now, 60 * DAY_MS) : null,
      publishedAt: status === 'active' ? new Date(at.getTime() + DAY_MS) : null,
    };
  });
  await tx.dkimKey.createMany({ data: rows });
  for (const { domainId, selector, status } of rows) {
    if (status !== 'active') continue;
    await tx.domain.update({ where: { id: domainId }, data: { dkimSelector: selector }, select: { id: true } });
  }
}

/** Most domains have one DKIM key; some have rotated it, or have a pending one. */
function keysOf(index: number): KeyPlan[] {
  const active: KeyPlan = { status: 'active', selector: 'pr2025a', ageDays: 400 };
  const retired: KeyPlan = { status: 'retired', selector: 'pr2024a', ageDays: 700, isEd25519: true };
  const renewed: KeyPlan = { ...active, selector: 'pr2025b', ageDays: 61 };
  const pending: KeyPlan = { status: 'pending', selector: 'pr2026a', ageDays: 2, isEd25519: true };
  if (index % 7 === 0) return [retired, renewed, pending];
  if (index % 5 === 1) return [retired, renewed];
  return [{ ...active, isEd25519: index % 2 === 0 }];
}
