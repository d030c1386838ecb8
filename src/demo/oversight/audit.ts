import { splitDestinations } from '@/lib/mail/destinations';
import type { DemoContext } from '../demo-context';
import type { DemoAdmin } from '../directory/admins';
import { INCIDENT_AGE_MS } from '../directory/mailboxes';
import type { DemoMessage } from '../mail/demo-message';
import { after, before, busyMoments, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time';
import { type DemoEntry, insertEntries } from './audit-entry';
import { sentEntries } from './audit-of-sending';
import { type Records, readRecords } from './records';

type Facts = {
  admins: readonly [DemoAdmin, ...DemoAdmin[]];
  messages: readonly DemoMessage[];
  deletions: readonly DemoEntry[];
};

/** The audit log of creations and later changes, with records as the API presents them. */
export async function seedAudit(ctx: DemoContext, { admins, messages, deletions }: Facts): Promise<void> {
  const [owner] = admins;
  const records = await readRecords(ctx, owner);
  const isActive = ({ lastLoginAt: at }: DemoAdmin) => at !== null && at > before(ctx.now, DAY_MS);
  const staff = admins.filter((admin) => admin.role !== 'domain_admin' && isActive(admin));
  await insertEntries(ctx, [
    ...creations(ctx, records, staff),
    ...changes(ctx, records, staff),
    ...incident(ctx, records, staff, messages),
    ...signIns(ctx, admins),
    ...refusals(ctx, records, admins),
    ...sentEntries(messages, admins),
    ...deletions,
  ]);
}

function creations({ now, random }: DemoContext, records: Records, staff: DemoAdmin[]): DemoEntry[] {
  type Created = { id: string; created_at?: string; domain_id?: string | null; admin_id?: string };
  const of = (type: string, rows: readonly Created[]) =>
    rows.map((row): DemoEntry => {
      const domainId = type === 'domain' ? row.id : (row.domain_id ?? null);
      const about = { action: `${type}.create`, resource: `${type}:${row.id}`, domainId };
      const details = { before: null, after: row };
      const admin = staff.find(({ id }) => id === row.admin_id) ?? random.pick(staff);
      return { at: new Date(row.created_at ?? now), ...about, admin, details };
    });
  return [
    ...of('domain', records.domains),
    ...of('mailbox', records.mailboxes.map(asCreated)),
    ...of('alias', records.aliases),
    ...of('admin', records.admins),
    ...of('api_key', records.apiKeys).map((entry) => ({ ...entry, domainId: null })),
    ...of('webhook', records.webhooks),
    ...of('sieve_filter', records.filters),
  ];
}

/** The record of a suspended mailbox as it was at creation. */
function asCreated(mailbox: Records['mailboxes'][number]): Records['mailboxes'][number] {
  const unsuspended = { suspended: false, suspended_at: null, suspension_reason: null, suspension_note: '' };
  return { ...mailbox, ...unsuspended, used_bytes: 0, updated_at: mailbox.created_at };
}

function changes({ now, random }: DemoContext, records: Records, staff: DemoAdmin[]): DemoEntry[] {
  const ago = (days: number) => before(now, days * DAY_MS + random.int(0, 7 * 60) * MINUTE_MS);
  const aliases = random.sample(records.aliases, 26).map((after, index): DemoEntry => {
    const change = index % 2 ? { active: !after.active } : { destination: destinationBefore(after.destination) };
    const about = { action: 'alias.update', resource: `alias:${after.id}`, domainId: after.domain_id };
    return { at: ago(index), ...about, admin: random.pick(staff), details: { before: { ...after, ...change }, after } };
  });
  const domains = random.sample(records.domains, 9).map((after, index): DemoEntry => {
    const about = { action: 'domain.update', resource: `domain:${after.id}`, domainId: after.id };
    const details = { before: { ...after, hourly_send_limit: 100 }, after };
    return { at: ago(index * 3), ...about, admin: random.pick(staff), details };
  });
  const keys = records.dkimKeys.map(({ domainId, key }): DemoEntry => {
    const about = { action: 'domain.rotate_dkim', resource: `domain:${domainId}`, domainId };
    return { at: new Date(key.created_at), ...about, admin: random.pick(staff), details: { before: null, after: key } };
  });
  const webhooks = records.webhooks.flatMap((after): DemoEntry[] => {
    const about = { resource: `webhook:${after.id}`, domainId: after.domain_id, admin: random.pick(staff) };
    const at = new Date(after.updated_at);
    if (!after.active) {
      return [{ ...about, at, action: 'webhook.update', details: { before: { ...after, active: true }, after } }];
    }
    if (after.previous_secret_until === null) return [];
    return [{ ...about, at, action: 'webhook.rotate_secret', details: { grace_hours: 24 } }];
  });
  return [...aliases, ...domains, ...keys, ...webhooks];
}

/** Without the destinations that were added, or the one that a single destination has replaced. */
function destinationBefore(destination: string): string {
  const [first = '', ...added] = splitDestinations(destination);
  return added.length > 0 ? first : `former.colleague@${first.split('@')[1]}`;
}

function incident(
  { now, random }: DemoContext,
  records: Records,
  staff: DemoAdmin[],
  messages: readonly DemoMessage[],
): DemoEntry[] {
  const suspensions = records.mailboxes.flatMap((after): DemoEntry[] => {
    if (after.suspended_at === null) return [];
    const about = { action: 'mailbox.suspend', resource: `mailbox:${after.id}`, domainId: after.domain_id };
    const before = { ...asCreated(after), used_bytes: after.used_bytes };
    const at = new Date(after.suspended_at);
    if (after.suspension_reason === 'manual') {
      return [{ at, ...about, admin: random.pick(staff), details: { before, after } }];
    }
    const rate = { count: 200, limit: 200, window_seconds: 3600 };
    const origin = { ipAddress: '203.0.113.66', userAgent: 'SMTP' };
    return [{ at, ...about, ...origin, admin: null, details: { before, after, ...rate } }];
  });
  const responder = staff[1] ?? null;
  const deletions = messages.flatMap(({ row, trace }): DemoEntry[] => {
    const last = trace.at(-1);
    if (row.direction !== 'outbound' || row.queue_id === null) return [];
    if (last?.type !== 'failed' || last.detail.cause !== 'deleted') return [];
    const recipients = row.to_addresses;
    const queued = { queue: 'deferred', from: row.from_address, recipients, recipient_count: recipients.length };
    const about = { action: 'queue.delete', resource: `queue:${row.queue_id}`, domainId: row.domain_id };
    return [{ at: after(last.at, -200), ...about, admin: responder, details: { before: queued, after: null } }];
  });
  const alerts = records.alerts.flatMap((alert): DemoEntry[] => {
    if (alert.status === 'open') return [];
    const about = { action: 'alert.update', resource: `alert:${alert.id}`, domainId: alert.domain_id };
    const details = { before: { ...alert, status: 'open', updated_at: alert.created_at }, after: alert };
    return [{ at: new Date(alert.updated_at), ...about, admin: responder, details }];
  });
  const flush = { action: 'queue.flush', resource: 'queue', admin: responder };
  return [...suspensions, ...deletions, ...alerts, { at: before(now, INCIDENT_AGE_MS - 4 * HOUR_MS), ...flush }];
}

/** Sign-ins of every working day, with mistyped passwords and a few guessed addresses. */
function signIns(ctx: DemoContext, admins: readonly DemoAdmin[]): DemoEntry[] {
  const { now, random } = ctx;
  const session = (at: Date) => ({ action: 'session.create', resource: `session:${random.uuidAt(at)}` });
  const denied = { resource: 'session', outcome: 'denied', details: { code: 'INVALID_CREDENTIALS' } } as const;
  const usual = admins.flatMap((admin): DemoEntry[] => {
    const last = admin.lastLoginAt;
    if (last === null) return [];
    const earlier = busyMoments(random, last, 28, admin.role === 'domain_admin' ? 5 : 19);
    const attempts = earlier.filter(() => random.chance(0.1)).map((at) => after(at, -9 * SECOND_MS));
    return [
      ...[...earlier, last].map((at) => ({ at, ...session(at), admin })),
      ...attempts.map((at) => ({ at, ...session(at), ...denied, admin: { ...admin, id: '' }, email: admin.email })),
    ];
  });
  const guesses = ['admin', 'root', 'info', 'postmaster', 'test', 'dana', 'administrator', 'support'];
  const attack = guesses.map((name, index): DemoEntry => {
    const at = before(now, 4 * DAY_MS + 5 * HOUR_MS - index * 2_300);
    const origin = { ipAddress: '203.0.113.9', userAgent: 'python-requests/2.32' };
    return { at, ...session(at), ...denied, admin: null, email: `${name}@postroom.example`, ...origin };
  });
  return [...usual.map(withoutEmptyId), ...attack];
}

/** A failed sign-in has the address and no admin. */
function withoutEmptyId(entry: DemoEntry): DemoEntry {
  if (entry.admin?.id !== '') return entry;
  const { ipAddress, userAgent, email } = entry.admin;
  return { ...entry, admin: null, email, ipAddress, userAgent };
}

function refusals({ now }: DemoContext, records: Records, admins: readonly DemoAdmin[]): DemoEntry[] {
  const helper = admins.find(({ role, lastLoginAt }) => role === 'domain_admin' && lastLoginAt !== null) ?? null;
  const [domain] = records.domains.filter(({ id }) => helper?.domainIds.includes(id));
  const [alias] = records.aliases;
  if (!helper || !domain || !alias) return [];
  const denied = { outcome: 'denied', admin: helper } as const;
  const forbidden = { code: 'FORBIDDEN', message: 'This requires the role admin.' };
  return [
    {
      ...denied,
      at: before(now, 3 * DAY_MS),
      action: 'domain.delete',
      resource: `domain:${domain.id}`,
      domainId: domain.id,
      details: forbidden,
    },
    { ...denied, at: before(now, 8 * DAY_MS), action: 'webhook.create', resource: 'webhook', details: forbidden },
    {
      ...denied,
      at: before(now, 30 * HOUR_MS),
      action: 'alias.create',
      resource: 'alias',
      domainId: domain.id,
      details: { code: 'CONFLICT', message: `There is an alias orders@${domain.name} already.` },
    },
  ];
}
