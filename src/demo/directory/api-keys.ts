import { newApiKey } from '@/server/secrets/api-key.mjs';
import { sha256 } from '@/server/secrets/crypto';
import type { DemoContext } from '../demo-context';
import type { DemoMessage } from '../mail/demo-message';
import { after, before, DAY_MS, inOfficeHours, MINUTE_MS } from '../time';
import type { DemoAdmin } from './admins';
import type { DemoDomain } from './domains';

export type DemoApiKey = { id: string; name: string; admin: DemoAdmin; domainIds: string[]; createdAt: Date };

type Plan = {
  name: string;
  /** Indexes of the demo's admins and domains. */
  admin: number;
  domains?: number[];
  rateLimit?: number;
  ageDays: number;
  expiresInDays?: number;
  parent?: number;
  /** Time since the last use of a read-only key; null if it was never used. Absent for keys that send. */
  readMs?: number | null;
  canManage?: boolean;
};

const KEYS: Plan[] = [
  { name: 'Demo', admin: 0, rateLimit: 0, ageDays: 0, readMs: null, canManage: true },
  { name: 'Alderbrook web shop', admin: 2, domains: [0], rateLimit: 600, ageDays: 310 },
  { name: 'Nordwind store', admin: 2, domains: [1], rateLimit: 600, ageDays: 280, expiresInDays: 85 },
  { name: 'Billing system', admin: 3, rateLimit: 120, ageDays: 190 },
  { name: 'Booking engine', admin: 3, domains: [3, 13, 18], rateLimit: 240, ageDays: 120, expiresInDays: 9 },
  { name: 'Grafana dashboard', admin: 1, rateLimit: 30, ageDays: 95, readMs: 2 * MINUTE_MS },
  { name: 'Alderbrook web shop: newsletter', admin: 2, domains: [0], rateLimit: 60, ageDays: 44, parent: 1 },
  { name: 'Backup script', admin: 4, ageDays: 400, expiresInDays: -35, readMs: 36 * DAY_MS },
  { name: 'Coffee CRM', admin: 5, domains: [0, 7], ageDays: 61 },
  { name: 'Evaluation, never used', admin: 7, domains: [2], ageDays: 8, expiresInDays: 22, readMs: null },
];

/** @returns the keys that send mail, and the key for trying the API */
export async function seedApiKeys(
  { tx, now, random }: DemoContext,
  admins: readonly DemoAdmin[],
  domains: readonly DemoDomain[],
): Promise<{ senders: DemoApiKey[]; demoKey: string }> {
  const keys = KEYS.map((plan) => {
    const isNew = plan.ageDays === 0;
    const createdAt = isNew ? before(now, 90 * MINUTE_MS) : inOfficeHours(random, now, plan.ageDays * DAY_MS);
    const domainIds = plan.domains?.flatMap((place) => domains[place]?.id ?? []) ?? [];
    const admin = admins[plan.admin] as DemoAdmin;
    return { plan, id: random.uuidAt(createdAt), name: plan.name, admin, domainIds, createdAt, ...newApiKey() };
  });
  for (const { plan, id, name, admin, domainIds, createdAt, key, prefix } of keys) {
    const parentId = plan.parent === undefined ? null : (keys[plan.parent]?.id ?? null);
    await tx.apiKey.create({
      select: { id: true },
      data: {
        id,
        adminId: admin.id,
        name,
        keyPrefix: prefix,
        keyHash: sha256(key),
        scopedDomainIds: domainIds,
        ...(plan.readMs !== undefined && !plan.canManage && { permissions: ['read'] }),
        rateLimit: plan.rateLimit ?? 60,
        lastUsedAt: plan.readMs ? before(now, plan.readMs) : null,
        expiresAt: plan.expiresInDays === undefined ? null : after(now, plan.expiresInDays * DAY_MS),
        createdAt,
        parentId,
        ancestorIds: parentId ? [parentId] : [],
      },
    });
  }
  return { senders: keys.filter(({ plan }) => plan.readMs === undefined), demoKey: keys[0]?.key ?? '' };
}

/** Sets the last use of each sending key to its last message. */
export async function noteKeyUse({ tx }: DemoContext, messages: readonly DemoMessage[]): Promise<void> {
  const lastUse = new Map<string, Date>();
  for (const { row, sender } of messages) {
    if (!sender?.apiKeyId) continue;
    const known = lastUse.get(sender.apiKeyId);
    if (!known || row.created_at > known) lastUse.set(sender.apiKeyId, row.created_at);
  }
  for (const [id, lastUsedAt] of lastUse) {
    await tx.apiKey.update({ where: { id }, data: { lastUsedAt }, select: { id: true } });
  }
}
