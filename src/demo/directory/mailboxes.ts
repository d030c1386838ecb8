import { randomToken } from '@/server/secrets/crypto';
import { hashPassword } from '@/server/secrets/password';
import { type DemoContext, scaled } from '../demo-context';
import { before, DAY_MS, HOUR_MS, MINUTE_MS } from '../time';
import { COMPANIES } from './companies';
import type { DemoDomain } from './domains';
import { fullNameOf, localPartOf, randomPerson } from './names';

export type DemoMailbox = {
  id: string;
  domain: DemoDomain;
  address: string;
  displayName: string;
  active: boolean;
  isFull: boolean;
  isSuspended: boolean;
  createdAt: Date;
};

/** Time when the sender of the incident (mail/incident.ts) was suspended. */
export const INCIDENT_AGE_MS = 9 * HOUR_MS;

const ROLE_ACCOUNTS = ['info', 'hello', 'office', 'support', 'sales', 'accounts'];
const GB = 1024 ** 3;

type Suspension = { ageMs: number; reason: 'rate_limit' | 'manual'; note: string };

/** By index of the mailbox; the first one is the sender of the incident. */
const SUSPENSIONS: Record<number, Suspension> = {
  3: {
    ageMs: INCIDENT_AGE_MS,
    reason: 'rate_limit',
    note: 'Tried to send more than 200 messages in an hour.',
  },
  11: {
    ageMs: 6 * DAY_MS + 80 * MINUTE_MS,
    reason: 'rate_limit',
    note: 'Tried to send more than 200 messages in an hour.',
  },
  17: {
    ageMs: 19 * DAY_MS - 5 * HOUR_MS,
    reason: 'manual',
    note: 'Requested by the owner until the office has moved.',
  },
  24: { ageMs: 2 * DAY_MS + 3 * HOUR_MS, reason: 'manual', note: 'Phishing report from a customer, ticket 4821.' },
};

export async function seedMailboxes(ctx: DemoContext, domains: readonly DemoDomain[]): Promise<DemoMailbox[]> {
  const { tx, now, random } = ctx;
  const passwordHash = await hashPassword(randomToken());
  const addresses = pickAddresses(ctx, domains, scaled(ctx, 200, 40));
  const rows = addresses.map(({ domain, localPart, displayName }, index) => {
    const ageMs = now.getTime() - domain.createdAt.getTime();
    const createdAt = before(now, Math.max(40 * DAY_MS, ageMs * random.next()));
    const suspension = SUSPENSIONS[index];
    const isFull = index % 90 === 20;
    const quotaBytes = random.weighted([
      [null, 1],
      [GB, 3],
      [2 * GB, 5],
      [5 * GB, 2],
    ]);
    const share = isFull ? 1 : random.next() ** 2 * 0.98;
    return {
      id: random.uuidAt(createdAt),
      domain,
      localPart,
      displayName,
      active: index % 37 !== 30,
      isFull,
      quotaBytes: isFull ? 2 * GB : quotaBytes,
      usedBytes: Math.round(isFull ? 2 * GB : share * (quotaBytes ?? 4 * GB)),
      suspension,
      createdAt,
    };
  });
  await tx.mailbox.createMany({
    data: rows.map(({ domain, suspension, isFull: _, quotaBytes, usedBytes, ...row }) => ({
      ...row,
      domainId: domain.id,
      passwordHash,
      quotaBytes: quotaBytes === null ? null : BigInt(quotaBytes),
      usedBytes: BigInt(usedBytes),
      suspendedAt: suspension ? before(now, suspension.ageMs) : null,
      suspensionReason: suspension?.reason ?? null,
      suspensionNote: suspension?.note ?? '',
      updatedAt: suspension ? before(now, suspension.ageMs) : row.createdAt,
    })),
  });
  return rows.map(({ id, domain, localPart, displayName, active, isFull, suspension, createdAt }) => {
    const isSuspended = suspension !== undefined;
    return { id, domain, address: `${localPart}@${domain.name}`, displayName, active, isFull, isSuspended, createdAt };
  });
}

/** Larger companies have more mailboxes; every domain has at least one. */
function pickAddresses({ random }: DemoContext, domains: readonly DemoDomain[], count: number) {
  const sizes = sizesOf(domains, count);
  const seen = new Set<string>();
  const found: { domain: DemoDomain; localPart: string; displayName: string }[] = [];
  const add = (domain: DemoDomain, localPart: string, displayName: string) => {
    const address = `${localPart}@${domain.name}`;
    if (seen.has(address) || found.length === count) return;
    seen.add(address);
    found.push({ domain, localPart, displayName });
  };
  for (let round = 0; found.length < count; round++) {
    for (const [index, domain] of domains.entries()) {
      if (round >= (sizes[index] ?? 0) && round < count) continue;
      const role = ROLE_ACCOUNTS[round];
      const person = randomPerson(random);
      if (round < 2 && role) add(domain, role, companyOf(domain));
      else add(domain, localPartOf(person), fullNameOf(person));
    }
  }
  return found;
}

/** The name that a company signs its mail with. */
function companyOf({ name }: DemoDomain): string {
  const description = COMPANIES.find(([domain]) => domain === name)?.[1] ?? name;
  return description.split(',')[0] ?? name;
}

/** Distributes a total over domains by traffic, at least one each. */
export function sizesOf(domains: readonly DemoDomain[], count: number): number[] {
  const weights = domains.map(({ weight }) => weight + 0.05);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => Math.max(1, Math.ceil((weight / total) * count)));
}
