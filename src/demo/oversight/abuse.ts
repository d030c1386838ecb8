import { ALERT_KINDS } from '@/modules/alerts/service';
import { ALERT_AFTER_FAILURES } from '@/modules/webhooks/delivery/finish';
import type { DemoContext } from '../demo-context';
import { type DemoDomain, RATE_LIMITED } from '../directory/domains';
import { type DemoMailbox, INCIDENT_AGE_MS } from '../directory/mailboxes';
import { INCIDENT_MESSAGES, STRANGER } from '../mail/incident';
import { insertRows } from '../rows';
import { before, DAY_MS, HOUR_MS, MINUTE_MS } from '../time';
import type { DemoWebhook } from '../webhooks/webhooks';

type Alert = Parameters<DemoContext['tx']['alert']['createMany']>[0] extends { data: infer Data } | undefined
  ? Exclude<Data, readonly unknown[]>
  : never;

/** Alerts of the incident, and older ones that are acknowledged or closed. */
export async function seedAbuse(
  { tx, now, random }: DemoContext,
  domains: readonly DemoDomain[],
  mailboxes: readonly DemoMailbox[],
  webhooks: readonly DemoWebhook[],
): Promise<void> {
  const [culprit, former] = mailboxes.filter(({ isSuspended }) => isSuspended);
  const limited = domains[RATE_LIMITED];
  const failing = webhooks.findLast(({ health, deactivatedAt }) => health.kind === 'down' && deactivatedAt === null);
  if (!culprit || !limited || !failing) return;
  const { failuresInRow, failingSince } = await tx.webhook.findUniqueOrThrow({ where: { id: failing.id } });
  const raising = await tx.webhookAttempt.findFirst({
    where: { delivery: { webhookId: failing.id }, startedAt: { gte: failingSince ?? now } },
    orderBy: { startedAt: 'asc' },
    skip: ALERT_AFTER_FAILURES - 1,
  });
  const raisedAt = raising?.startedAt ?? failingSince ?? now;
  const ofCulprit = { subject: culprit.address, domainId: culprit.domain.id, mailboxId: culprit.id };
  const alerts: (Omit<Alert, 'createdAt' | 'severity'> & { ageMs: number })[] = [
    {
      ageMs: INCIDENT_AGE_MS,
      kind: 'mailbox_suspended',
      ...ofCulprit,
      count: INCIDENT_MESSAGES,
      expected: INCIDENT_MESSAGES,
    },
    {
      ageMs: INCIDENT_AGE_MS + 31 * MINUTE_MS,
      kind: 'volume_spike',
      status: 'acknowledged',
      ...ofCulprit,
      count: 84,
      expected: 0.3,
    },
    {
      ageMs: INCIDENT_AGE_MS + 26 * MINUTE_MS,
      kind: 'volume_spike',
      subject: culprit.domain.name,
      domainId: culprit.domain.id,
      count: 103,
      expected: 2.1,
    },
    {
      ageMs: now.getTime() - raisedAt.getTime(),
      kind: 'webhook_failing',
      subject: `${failing.host} (${failing.id})`,
      domainId: failing.domainId,
      count: failuresInRow,
      expected: 0,
    },
    ...[5, 4, 2].map((hours) => rateLimited(limited, hours * DAY_MS + 90 * MINUTE_MS, hours === 2)),
  ];
  if (former) {
    const about = { subject: former.address, domainId: former.domain.id, mailboxId: former.id };
    alerts.push({
      ageMs: 6 * DAY_MS + 80 * MINUTE_MS,
      kind: 'mailbox_suspended',
      status: 'closed',
      ...about,
      count: INCIDENT_MESSAGES,
      expected: INCIDENT_MESSAGES,
    });
  }
  for (const ageDays of [9, 13, 21]) {
    const domain = random.pick(domains.slice(0, 8));
    const about = { kind: 'volume_spike', status: 'closed', subject: domain.name, domainId: domain.id } as const;
    alerts.push({ ageMs: ageDays * DAY_MS, ...about, count: random.int(60, 190), expected: 7.4 });
  }
  await tx.alert.createMany({
    data: alerts.map(({ ageMs, ...alert }) => {
      const { severity, isLasting } = ALERT_KINDS[alert.kind];
      const createdAt = before(now, ageMs);
      const updatedAt = alert.status ? new Date(createdAt.getTime() + 2 * HOUR_MS) : createdAt;
      const times = {
        createdAt,
        updatedAt,
        acknowledgedAt: alert.status ? updatedAt : null,
        closedAt: alert.status === 'closed' ? updatedAt : null,
      };
      return { ...alert, ...times, severity, id: random.uuidAt(createdAt), day: isLasting ? null : createdAt };
    }),
  });
  await seedMute({ tx, now, random }, limited);
  await seedLimitedSends({ tx, now, random }, culprit, limited);
}

/** Its customers know that the domain sends a newsletter. */
async function seedMute(
  { tx, now, random }: Pick<DemoContext, 'tx' | 'now' | 'random'>,
  domain: DemoDomain,
): Promise<void> {
  const createdAt = before(now, 20 * HOUR_MS);
  const admin = await tx.admin.findFirstOrThrow({ where: { role: 'super_admin' }, orderBy: { createdAt: 'asc' } });
  await tx.alertMute.create({
    data: {
      id: random.uuidAt(createdAt),
      kind: 'rate_limited',
      domainId: domain.id,
      reason: 'Newsletter week, agreed with the customer',
      createdBy: admin.id,
      createdByEmail: admin.email,
      createdAt,
      endsAt: new Date(now.getTime() + 4 * DAY_MS),
    },
  });
}

function rateLimited({ id, name }: DemoDomain, ageMs: number, isOpen: boolean) {
  const status = isOpen ? ('acknowledged' as const) : ('closed' as const);
  return {
    ageMs,
    kind: 'rate_limited' as const,
    status,
    subject: name,
    domainId: id,
    count: 120,
    expected: 120,
  };
}

/** Messages that the hourly limits rejected. */
async function seedLimitedSends(
  { tx, now, random }: Pick<DemoContext, 'tx' | 'now' | 'random'>,
  culprit: DemoMailbox,
  limited: DemoDomain,
): Promise<void> {
  const refused = [
    { address: culprit.address, domainId: culprit.domain.id, at: before(now, INCIDENT_AGE_MS) },
    ...Array.from({ length: 23 }, (_, index) => {
      const at = before(now, 2 * DAY_MS + 90 * MINUTE_MS - index * 14_000);
      return { address: `billing@${limited.name}`, domainId: limited.id, at };
    }),
  ];
  await tx.limitedSend.createMany({ data: refused.map((send) => ({ id: random.uuidAt(send.at), ...send })) });
}

/** Where people read and send their mail, and the stranger who sent spam. */
export async function seedSignIns({ tx, now }: DemoContext, mailboxes: readonly DemoMailbox[]): Promise<void> {
  const usual = mailboxes
    .filter(({ active }) => active)
    .flatMap(({ id }, index) => {
      const network = 10 + (index % 230);
      const signIn = (client_address: string, protocol: string, agoMs: number) => ({
        mailbox_id: id,
        client_address,
        protocol,
        first_at: before(now, 28 * DAY_MS),
        last_at: before(now, agoMs),
      });
      return [
        signIn(`198.51.100.${network}`, 'imap', (index % 90) * MINUTE_MS),
        signIn(`198.51.100.${network}`, 'smtp', ((index * 7) % 60) * HOUR_MS),
        signIn(`2001:db8:42:${network}::17`, 'imap', ((index * 5) % 50) * HOUR_MS),
      ];
    });
  const culprit = mailboxes.find(({ isSuspended }) => isSuspended);
  const strange = ['imap', 'smtp'].map((protocol, index) => ({
    mailbox_id: culprit?.id,
    client_address: STRANGER,
    protocol,
    first_at: before(now, INCIDENT_AGE_MS + (70 - index * 10) * MINUTE_MS),
    last_at: before(now, INCIDENT_AGE_MS),
  }));
  await insertRows(tx, 'mailbox_sign_in', culprit ? [...usual, ...strange] : usual);
}
