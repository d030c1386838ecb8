import { type DemoContext, scaled } from '../demo-context';
import type { DemoAdmin } from '../directory/admins';
import type { DemoApiKey } from '../directory/api-keys';
import type { DemoDomain } from '../directory/domains';
import type { DemoMailbox } from '../directory/mailboxes';
import type { Weighted } from '../random';
import { after, before, busyMoments, DAY_MS, MINUTE_MS, SECOND_MS } from '../time';
import type { DemoMessage } from './demo-message';
import { createOutbound, type NewOutbound, type Origin, type Outbound } from './outbound';
import { conclude } from './outcomes';
import { deferredBy, randomCorrespondent } from './remote-servers';
import { type SenderKind, sizeOf, subjectOf } from './subjects';
import { UNSUBSCRIBED } from './suppressions';

export type Senders = {
  domains: readonly DemoDomain[];
  mailboxes: readonly DemoMailbox[];
  admins: readonly DemoAdmin[];
  keys: readonly DemoApiKey[];
};

/** Sender address of each API key, by key name. */
const USES: Record<string, { weight: number; local: string; kinds: SenderKind[] }> = {
  'Alderbrook web shop': { weight: 34, local: 'orders', kinds: ['orders', 'orders', 'accounts'] },
  'Nordwind store': { weight: 26, local: 'shop', kinds: ['orders', 'orders', 'accounts'] },
  'Billing system': { weight: 18, local: 'billing', kinds: ['billing'] },
  'Booking engine': { weight: 16, local: 'bookings', kinds: ['bookings', 'accounts'] },
  'Coffee CRM': { weight: 6, local: 'hello', kinds: ['person'] },
};
const NEWSLETTER = 'Alderbrook web shop: newsletter';
const LIST = 'newsletter';
const NEWSLETTER_AGES_DAYS = [27, 20, 13, 6];

type Sending = Pick<NewOutbound, 'domain' | 'from' | 'origin'> & { kind: SenderKind };

/** 30 days of mail sent by people and programs. */
export function planOutgoing(ctx: DemoContext, senders: Senders, count: number): DemoMessage[] {
  const { now, random } = ctx;
  const chooseByApi = apiSenders(ctx, senders);
  const chooseBySmtp = smtpSenders(ctx, senders);
  const choose = () => (random.chance(0.48) ? chooseByApi() : chooseBySmtp());
  const usual = busyMoments(random, now, 30, count).map((at) => compose(ctx, choose(), at));
  const recent = recentMoments(now).map((at) => compose(ctx, choose(), at));
  const inFlight = planInFlight(ctx, chooseByApi, chooseBySmtp);
  return [...usual, ...recent, ...inFlight, ...planNewsletters(ctx, senders)];
}

/** Mail of the last minutes at any time of day, so that the demo never looks idle. */
function recentMoments(now: Date): Date[] {
  return Array.from({ length: 16 }, (_, index) => before(now, (9 + index * 41 + index ** 2) * SECOND_MS));
}

function compose(ctx: DemoContext, { kind, ...sending }: Sending, at: Date): DemoMessage {
  const { random } = ctx;
  const count =
    kind === 'person'
      ? random.weighted([
          [1, 78],
          [2, 14],
          [3, 6],
          [5, 2],
        ])
      : 1;
  const people = new Map(
    Array.from({ length: count }, () => randomCorrespondent(random)).map((to) => [to.address, to] as const),
  );
  const [first = '', ...others] = people.keys();
  const cc = others.filter(() => random.chance(0.6));
  const bcc = others.filter((address) => !cc.includes(address) && random.chance(0.3));
  const to = [first, ...others.filter((address) => !cc.includes(address) && !bcc.includes(address))];
  const about = { subject: subjectOf(random, kind), sizeBytes: sizeOf(random, kind) };
  const outbound = createOutbound(ctx, { ...sending, ...about, at, to, cc, bcc });
  conclude(ctx, outbound, [...people.values()]);
  return outbound.message;
}

function apiSenders({ random }: DemoContext, { domains, admins, keys }: Senders): () => Sending {
  const used = keys.flatMap((key) => (USES[key.name] ? [[key, USES[key.name]?.weight ?? 0] as const] : []));
  const active = domains.filter((domain) => domain.active);
  const byWeight: Weighted<DemoDomain> = active.map((domain) => [domain, domain.weight]);
  return () => {
    if (random.chance(0.03)) {
      const admin = random.pick(admins.slice(0, 4));
      const domain = random.weighted(byWeight);
      return { domain, from: `hello@${domain.name}`, kind: 'person', origin: apiOrigin(admin, null) };
    }
    const key = random.weighted(used);
    const { local, kinds } = USES[key.name] as (typeof USES)[string];
    const scope = active.filter(({ id }) => key.domainIds.includes(id));
    const domain = scope.length > 0 ? random.pick(scope) : random.weighted(byWeight);
    return { domain, from: `${local}@${domain.name}`, kind: random.pick(kinds), origin: apiOrigin(key.admin, key.id) };
  };
}

function smtpSenders({ random }: DemoContext, { mailboxes }: Senders): () => Sending {
  const writers = mailboxes.filter((mailbox) => mailbox.active && mailbox.domain.active && !mailbox.isSuspended);
  // Some people write far more than others.
  const byWeight: Weighted<DemoMailbox> = writers.map((mailbox) => [
    mailbox,
    mailbox.domain.weight + random.next() ** 3,
  ]);
  const networks = new Map(writers.map(({ domain }) => [domain.id, random.int(10, 240)]));
  return () => {
    const { domain, address } = random.weighted(byWeight);
    const clientAddress = `198.51.100.${networks.get(domain.id)}`;
    return { domain, from: address, kind: 'person', origin: { kind: 'smtp', login: address, clientAddress } };
  };
}

/** Four campaigns, each sent in calls of up to 100 messages. */
function planNewsletters(ctx: DemoContext, { keys, domains }: Senders): DemoMessage[] {
  const { now, random } = ctx;
  const key = keys.find(({ name }) => name === NEWSLETTER);
  const [domain] = domains;
  if (!key || !domain) return [];
  return NEWSLETTER_AGES_DAYS.flatMap((ageDays) => {
    const startedAt = before(now, ageDays * DAY_MS);
    startedAt.setUTCHours(9, 30, 4, 0);
    const subject = subjectOf(random, 'newsletter');
    const batches = [random.uuidAt(startedAt), random.uuidAt(startedAt)];
    return Array.from({ length: scaled(ctx, 160, 5) }, (_, index) => {
      const at = after(startedAt, index * 190);
      const to = randomCorrespondent(random);
      const origin = { ...apiOrigin(key.admin, key.id), batchId: batches[index < 100 ? 0 : 1] ?? null };
      const left = index === 1 ? [UNSUBSCRIBED] : [];
      const facts = { at, domain, from: `news@${domain.name}`, to: [to.address, ...left], subject, origin };
      const outbound = createOutbound(ctx, { ...facts, sizeBytes: sizeOf(random, 'newsletter') });
      for (const address of left) outbound.suppress(address, 'unsubscribe');
      conclude(ctx, outbound, [to]);
      if (outbound.message.row.status === 'delivered') react(outbound, to.address, { index, at });
      return outbound.message;
    });
  });
}

/** Some recipients of a newsletter unsubscribe, and few report it as spam. */
function react(outbound: Outbound, address: string, { index, at }: { index: number; at: Date }): void {
  if (index % 40 === 7) outbound.complain(address, after(at, 50 * MINUTE_MS));
  else if (index % 20 === 3) outbound.unsubscribe(address, LIST, after(at, 20 * MINUTE_MS));
}

/** Messages that are being submitted, just sent, unconfirmed or deferred. */
function planInFlight(ctx: DemoContext, byApi: () => Sending, bySmtp: () => Sending): DemoMessage[] {
  const { now, random } = ctx;
  const open = (sending: Sending, ageMs: number) => {
    const to = randomCorrespondent(random);
    const about = { subject: subjectOf(random, sending.kind), sizeBytes: sizeOf(random, sending.kind) };
    const outbound = createOutbound(ctx, { ...sending, ...about, at: before(now, ageMs), to: [to.address] });
    return { outbound, to };
  };
  const submitting = [1, 4].map((seconds) => open(byApi(), seconds * SECOND_MS).outbound);
  const sent = Array.from({ length: 5 }, (_, index) => {
    const { outbound } = open(index % 2 ? bySmtp() : byApi(), (2 + index * 11) * SECOND_MS);
    outbound.queue();
    return outbound;
  });
  const lost = [50, 200].map((minutes) => {
    const { outbound } = open(byApi(), minutes * MINUTE_MS);
    outbound.lose('The mail server did not respond in time.');
    return outbound;
  });
  const deferred = Array.from({ length: 6 }, (_, index) => {
    const { outbound, to } = open(bySmtp(), (20 + index * 37) * MINUTE_MS);
    const queuedAt = outbound.queue();
    outbound.report(to.address, 'deferred', after(queuedAt, 2_100), deferredBy(random, to.address, to.server));
    if (index > 2) outbound.hold(after(queuedAt, 15 * MINUTE_MS), 'held');
    if (index === 3) outbound.hold(after(queuedAt, 48 * MINUTE_MS), 'released');
    return outbound;
  });
  return [...submitting, ...sent, ...lost, ...deferred].map(({ message }) => message);
}

function apiOrigin({ id, email }: DemoAdmin, apiKeyId: string | null): Origin & { kind: 'api' } {
  return { kind: 'api', admin: { id, email }, apiKeyId, batchId: null };
}
