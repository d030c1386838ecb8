import type { EventType } from '@/lib/event-types';
import { newSecret } from '@/modules/webhooks/delivery/signature';
import { seal } from '@/server/secrets/sealing';
import type { DemoContext } from '../demo-context';
import type { DemoAdmin } from '../directory/admins';
import type { DemoDomain } from '../directory/domains';
import { after, before, DAY_MS, HOUR_MS, MINUTE_MS } from '../time';
import type { Answer } from './answers';

/** How an endpoint responds: reliably, with occasional failures, or failing for a while. */
type Health = { kind: 'healthy' } | { kind: 'shaky' } | { kind: 'down'; sinceMs: number; answer: Answer };

export type DemoWebhook = {
  id: string;
  name: string;
  host: string;
  events: EventType[];
  domainId: string | null;
  createdAt: Date;
  /** It got no new events after this. */
  deactivatedAt: Date | null;
  health: Health;
  remoteAddress: string;
};

type Plan = {
  name: string;
  url: string;
  events: EventType[];
  domain?: number;
  ageMs: number;
  health: Health;
  inactiveForMs?: number;
  previousSecretForMs?: number;
};

/** Their hosts are under `.example`, so they do not exist. */
const WEBHOOKS: Plan[] = [
  {
    name: 'Bounce list',
    url: 'https://hooks.postroom-ops.example/bounces',
    events: ['mail.bounced', 'mail.failed'],
    ageMs: 210 * DAY_MS,
    health: { kind: 'healthy' },
  },
  {
    name: 'Order status',
    url: 'https://api.alderbrook-coffee.example/webhooks/mail',
    events: ['mail.sent', 'mail.delivered', 'mail.bounced', 'mail.failed'],
    domain: 0,
    ageMs: 150 * DAY_MS,
    health: { kind: 'shaky' },
  },
  {
    name: 'Store events',
    url: 'https://store.nordwind-outdoor.example/hooks/postroom?v=2',
    events: ['mail.delivered', 'mail.bounced'],
    domain: 1,
    ageMs: 96 * DAY_MS,
    health: { kind: 'healthy' },
    previousSecretForMs: 19 * HOUR_MS,
  },
  {
    name: 'Ticket system',
    url: 'https://tickets.kestrel-robotics.example/inbound/postroom',
    events: ['mail.received'],
    domain: 7,
    ageMs: 64 * DAY_MS,
    health: { kind: 'shaky' },
  },
  {
    name: 'Case archive',
    url: 'https://archive.fenwick-legal.example/mail',
    events: ['mail.received.full'],
    domain: 2,
    ageMs: 12 * DAY_MS,
    health: { kind: 'shaky' },
  },
  {
    name: 'Spam statistics',
    url: 'https://stats.postroom-ops.example/ingest',
    events: ['mail.spam'],
    ageMs: 33 * DAY_MS,
    health: { kind: 'down', sinceMs: 3 * HOUR_MS, answer: 'certificate' },
  },
  {
    name: 'Clinic reminders',
    url: 'https://crm.brightwater-clinic.example/api/v2/mail-events',
    events: ['mail.delivered', 'mail.bounced', 'mail.failed'],
    domain: 3,
    ageMs: 240 * DAY_MS,
    health: { kind: 'down', sinceMs: 50 * HOUR_MS, answer: 'timeout' },
    inactiveForMs: 46 * HOUR_MS,
  },
  {
    name: 'Sender reputation',
    url: 'https://reputation.postroom-ops.example/v1/events',
    events: ['mail.bounced'],
    ageMs: 41 * DAY_MS,
    health: { kind: 'down', sinceMs: 12 * HOUR_MS, answer: 'overloaded' },
  },
];

export async function seedWebhooks(
  { tx, now, random }: DemoContext,
  admins: readonly DemoAdmin[],
  domains: readonly DemoDomain[],
): Promise<DemoWebhook[]> {
  const webhooks = WEBHOOKS.map((plan, index) => {
    const createdAt = before(now, plan.ageMs);
    const deactivatedAt = plan.inactiveForMs === undefined ? null : before(now, plan.inactiveForMs);
    const domainId = plan.domain === undefined ? null : (domains[plan.domain]?.id ?? null);
    const remoteAddress = `203.0.113.${40 + index * 9}`;
    const { name, events, health } = plan;
    const { host } = new URL(plan.url);
    const id = random.uuidAt(createdAt);
    return { plan, id, name, host, events, domainId, createdAt, deactivatedAt, health, remoteAddress };
  });
  await tx.webhook.createMany({
    data: webhooks.map(({ plan, id, name, events, domainId, createdAt, deactivatedAt }) => {
      const { url, previousSecretForMs: graceMs } = plan;
      const isRotated = graceMs !== undefined;
      return {
        id,
        name,
        url,
        events,
        domainId,
        active: deactivatedAt === null,
        secret: seal(`webhook.secret:${id}`, newSecret()),
        previousSecret: isRotated ? seal(`webhook.previous_secret:${id}`, newSecret()) : null,
        previousSecretUntil: isRotated ? after(now, graceMs) : null,
        createdBy: admins[plan.domain === undefined ? 1 : 2]?.id ?? '',
        createdAt,
        updatedAt: deactivatedAt ?? (isRotated ? before(now, 5 * HOUR_MS) : after(createdAt, 3 * MINUTE_MS)),
      };
    }),
  });
  return webhooks;
}

/** Whether a webhook was subscribed to an event when it happened. */
export function isSubscribed(
  webhook: DemoWebhook,
  { type, domainId, at }: { type: EventType; domainId: string; at: Date },
): boolean {
  const { events, domainId: own, createdAt, deactivatedAt } = webhook;
  if (!events.includes(type) || (own !== null && own !== domainId)) return false;
  return at >= createdAt && (deactivatedAt === null || at < deactivatedAt);
}
