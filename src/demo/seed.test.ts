import { beforeAll, describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '@/lib/event-types';
import { MESSAGE_STATUSES } from '@/lib/mail/outcomes';
import type { AliasWarning } from '@/modules/aliases/schema';
import { reconcileBackups } from '@/modules/backups/records/reconcile';
import type { Backup } from '@/modules/backups/schema';
import { sampleData } from '@/modules/events/sample-data';
import { claimDue } from '@/modules/webhooks/delivery/claim';
import { unseal } from '@/server/secrets/sealing';
import { db } from '@/test/database';
import { type Client, client } from '@/test/rest';
import { createQueueHandlers } from './mail-server/queue';
import { NotEmptyError, type Seeded, seedDemo } from './seed';

const SCALE = 0.1;
const PASSWORD = 'the quiet canal at noon';
const MESSAGE_EVENTS =
  'accepted suppressed queued refused uncertain delivered bounced deferred failed complained unsubscribed held released received forwarded spam';

let seeded: Seeded;
let api: Client;

beforeAll(async () => {
  seeded = await seedDemo(db, { now: new Date(), password: PASSWORD, scale: SCALE });
  api = client({ authorization: `Bearer ${seeded.apiKey}` });
});

describe('the demo', () => {
  it('has the scaled number of rows', async () => {
    expect(await db.domain.count()).toBe(10);
    expect(await db.mailbox.count()).toBe(40);
    expect(await db.alias.count()).toBe(60);
    const messages = await db.message.count();
    expect(messages).toBeGreaterThan(1_950);
    expect(messages).toBeLessThan(2_050);
    expect(await db.webhook.count()).toBe(8);
  });

  it('has an admin who can sign in, and an API key that works', async () => {
    const browser = client({ 'sec-fetch-site': 'same-origin' });
    const { status } = await browser.post('/auth/login', { email: seeded.email, password: seeded.password });
    expect(status).toBe(200);
    expect((await api.get('/auth/me')).data.email).toBe(seeded.email);
  });

  it('has the health checks of a day', async () => {
    const { data } = await api.get('/system/health/database/history');
    expect(data.length).toBeGreaterThan(20);
  });

  it('fills every list of the API', async () => {
    const lists = 'domains mailboxes aliases messages webhooks events abuse/alerts abuse/senders audit admins api-keys';
    for (const list of [...lists.split(' '), 'sieve-filters', 'suppressions', 'templates']) {
      const { status, data } = await api.get(`/${list}?limit=200`);
      expect({ list, status }).toEqual({ list, status: 200 });
      expect(data.length, list).toBeGreaterThan(4);
    }
  });
});

describe('its domains', () => {
  it('have DNS records of every state, with a history', async () => {
    const { data: domains } = await api.get('/domains?limit=200&sort=created_at&order=asc');
    expect(new Set(domains.map(({ dns_status }: { dns_status: string }) => dns_status))).toEqual(
      new Set(['ok', 'warning', 'error']),
    );
    const [green, wrong] = domains;
    expect(green.verified_at).not.toBeNull();
    const { records } = (await api.get(`/domains/${wrong.id}/dns`)).data;
    const statusOf = (purpose: string) => records.find((record: { purpose: string }) => record.purpose === purpose);
    expect(statusOf('dkim')).toMatchObject({ status: 'mismatch', severity: 'error' });
    expect(statusOf('mta_sts')).toMatchObject({ status: 'missing', severity: 'warning' });
    expect((await api.get(`/domains/${green.id}/dns/history`)).data.length).toBeGreaterThan(5);
  });
});

describe('its reports', () => {
  it('have sources to keep, to fix and to block, and TLS failures', async () => {
    const { data: domains } = await api.get('/domains?limit=200&sort=created_at&order=asc');
    const { sources, totals } = (await api.get(`/domains/${domains[2].id}/dmarc`)).data;
    const advice = new Set(sources.map((source: { advice: string }) => source.advice));
    expect(advice).toEqual(new Set(['keep', 'fix', 'block']));
    expect(totals.organisations).toBe(3);
    expect((await api.get(`/dmarc/reports?domain_id=${domains[0].id}`)).data.length).toBeGreaterThan(20);
    expect((await api.get(`/tls/reports?domain_id=${domains[0].id}`)).data.length).toBeGreaterThan(10);
  });
});

describe('its messages', () => {
  it('have every status, each with a trace and matching recipients', async () => {
    for (const status of MESSAGE_STATUSES) {
      const { data } = await api.get(`/messages?status=${status}&limit=200`);
      expect(data.length, status).toBeGreaterThan(0);
      for (const { id } of data.slice(0, 12)) {
        const { data: message } = await api.get(`/messages/${id}`);
        expect(message.events.length, status).toBeGreaterThan(0);
        const statuses = message.recipients.map((recipient: { status: string }) => recipient.status);
        expect(statuses).toContain(status);
      }
    }
    const others = await db.$queryRaw`
      SELECT id FROM message WHERE status IN ('deferred', 'bounced', 'delivered') AND direction = 'outbound'
         AND status <> message_status_of(id)`;
    expect(others).toEqual([]);
  });

  it('have events of every type, none in the future', async () => {
    const found = await db.messageEvent.groupBy({ by: ['type'], _max: { at: true } });
    expect(found.map(({ type }) => type)).toEqual(expect.arrayContaining(MESSAGE_EVENTS.split(' ')));
    for (const { type, _max } of found) expect(_max.at?.getTime(), type).toBeLessThan(Date.now());
  });

  it('emit events with the documented fields', async () => {
    for (const type of EVENT_TYPES.filter((name) => name.startsWith('mail.'))) {
      const event = await db.event.findFirst({ where: { type, body: { not: null } } });
      expect(event, type).not.toBeNull();
      const { id, event: named, data } = JSON.parse(event?.body ?? '{}');
      expect([named, id]).toEqual([type, data.message_id]);
      expect(Object.keys(data).sort()).toEqual(Object.keys(sampleData(type, 'a.example').data).sort());
    }
    expect(await db.event.count({ where: { sequence: null } })).toBe(0);
  });

  it('are counted by the hourly limits, and cause no spike alert', async () => {
    const week = new Date(Date.now() - 7 * 86_400_000);
    const where = { direction: 'outbound' as const, createdAt: { gt: week }, NOT: { status: 'failed' as const } };
    expect(await db.countedSend.count({ where: { at: { gt: week } } })).toBeGreaterThanOrEqual(
      await db.message.count({ where }),
    );
    const alerts = await db.alert.count();
    const { raiseSpikeAlerts } = await import('@/modules/abuse/spikes');
    await raiseSpikeAlerts(db, new Date());
    expect(await db.alert.count()).toBe(alerts);
  });
});

describe('its webhooks', () => {
  it('have deliveries of every status, and none that is due', async () => {
    for (const status of ['pending', 'retrying', 'delivered', 'abandoned'] as const) {
      const delivery = await db.webhookDelivery.findFirst({ where: { status } });
      expect(delivery, status).not.toBeNull();
      const path = `/webhooks/${delivery?.webhookId}/deliveries/${delivery?.id}`;
      expect((await api.get(path)).data.attempts).toHaveLength(delivery?.attemptCount ?? -1);
    }
    const room = { wanted: 100, wantedFailing: 100, perEndpoint: 100, perUnproven: 100, proven: [] };
    expect(await claimDue(db, room)).toEqual([]);
  });

  it('have unreachable hosts, and secrets that can be decrypted', async () => {
    for (const { id, url, secret } of await db.webhook.findMany()) {
      expect(new URL(url).hostname).toMatch(/\.example$/);
      expect(unseal(`webhook.secret:${id}`, secret)).toMatch(/^whsec_/);
    }
    expect(await db.webhook.count({ where: { previousSecretUntil: { gt: new Date() } } })).toBe(1);
    expect(await db.webhook.count({ where: { failuresInRow: { gt: 30 } } })).toBeGreaterThan(0);
  });

  it('have an alert since their failures, and not before', async () => {
    const alert = await db.alert.findFirstOrThrow({ where: { kind: 'webhook_failing' } });
    const id = /\((.+)\)$/.exec(alert.subject)?.[1] ?? '';
    const { failingSince } = await db.webhook.findUniqueOrThrow({ where: { id } });
    expect(alert.createdAt.getTime()).toBeGreaterThanOrEqual(failingSince?.getTime() ?? Number.NaN);
  });
});

describe('its queue', () => {
  it('has mail to an alias under the full mailbox, so that its cause is one', async () => {
    const { causes = [] } = await createQueueHandlers(db)['queue.list']({ order: 'asc', limit: 1, isSummary: true });
    const full = causes.filter(({ reason }) => reason?.includes('4.2.2') && reason.includes(' said: '));
    const mailboxes = await db.mailbox.findMany({ where: { percentFull: { gte: 100 } }, include: { domain: true } });
    const addresses = mailboxes.map(({ localPart, domain }) => `${localPart}@${domain.name}`);
    const own = full.filter(({ recipient }) =>
      addresses.some((address) => address.split('@')[1] === recipient?.split('@')[1]),
    );
    expect(own.filter(({ recipient }) => !addresses.includes(recipient ?? ''))).toEqual([]);
  });

  it('holds, releases and deletes messages, and records it in their traces', async () => {
    const { 'queue.list': list, 'queue.change': change } = createQueueHandlers(db);
    const { messages, counts } = await list({ order: 'asc', limit: 200 });
    expect(counts).toMatchObject({ deferred: expect.any(Number), active: expect.any(Number), hold: 2 });
    const { queueId = '' } = messages.find(({ queue }) => queue === 'deferred') ?? {};
    expect(await change({ change: 'hold', queueId })).toMatchObject({ message: { queue: 'deferred' }, isDone: true });
    expect(await change({ change: 'retry', queueId })).toMatchObject({ message: { queue: 'hold' }, isDone: false });
    expect((await change({ change: 'release', queueId })).isDone).toBe(true);
    expect((await change({ change: 'delete', queueId })).isDone).toBe(true);
    expect(await change({ change: 'delete', queueId })).toEqual({ message: null, isDone: false });
    const message = await db.message.findFirst({ where: { queueId }, include: { events: { orderBy: { at: 'asc' } } } });
    expect(message?.status).toBe('failed');
    expect(message?.events.map(({ type }) => type).slice(-3)).toEqual(['held', 'released', 'failed']);
  });
});

describe('its oversight', () => {
  it('has an audit chain that verifies', async () => {
    const { data } = await api.get('/audit/verify');
    expect(data).toMatchObject({ valid: true });
    expect(data.sealed).toBeGreaterThan(500);
  });

  it('has alerts of every status, and mailboxes suspended for both reasons', async () => {
    const alerts = await db.alert.groupBy({ by: ['status'] });
    expect(alerts.map(({ status }) => status).sort()).toEqual(['acknowledged', 'closed', 'open']);
    const reasons = await db.mailbox.groupBy({ by: ['suspensionReason'], where: { suspendedAt: { not: null } } });
    expect(reasons.map(({ suspensionReason }) => suspensionReason).sort()).toEqual(['manual', 'rate_limit']);
  });

  it('warns about aliases without a working destination or behind a mailbox', async () => {
    const { data } = await api.get('/aliases?limit=200');
    const codes = data.flatMap(({ warnings }: { warnings: AliasWarning[] }) => warnings.map(({ code }) => code));
    expect(codes).toEqual(expect.arrayContaining(['shadowed_by_mailbox', 'destination_not_found']));
  });
});

describe('its backups', () => {
  it('are proven, but for one that failed, and there are snapshots of its mail server', async () => {
    const { data: backups } = await api.get('/backups?limit=200');
    const states = backups.map(({ status, proof }: Backup) => `${status} ${proof.state}`);
    expect(states.filter((state: string) => state === 'completed proven')).toHaveLength(7);
    expect(states.filter((state: string) => state !== 'completed proven')).toEqual(['failed none']);
    const { mail_servers, snapshots } = (await api.get('/backups/mail')).data;
    expect(snapshots).toHaveLength(7);
    expect(mail_servers).toMatchObject([{ failure: '', last_success_at: expect.any(String) }]);
    for (const at of [...backups.map(({ started_at }: Backup) => started_at), mail_servers[0].last_success_at])
      expect(new Date(at).getTime()).toBeLessThan(Date.now());
  });

  it('stay listed without their archives, and say where those should be', async () => {
    await reconcileBackups(db, new Date());
    const [latest] = (await api.get('/backups')).data;
    expect(latest).toMatchObject({ status: 'completed', proof: { state: 'proven' } });
    const reason = `The archive is in ${latest.location}, and BACKUP_TARGET is `;
    const deleted = await api.delete(`/backups/${latest.id}`);
    expect(deleted).toMatchObject({ status: 409, error: { message: expect.stringContaining(reason) } });
    const { data } = await api.post(`/backups/${latest.id}/verify`, {});
    const operation = async () => (await api.get(`/backups/operations/${data.id}`)).data;
    await expect.poll(operation).toMatchObject({ state: 'failed', message: expect.stringContaining(reason) });
  });
});

describe('seeding again', () => {
  it('is rejected, and changes nothing', async () => {
    const before = await db.message.count();
    const again = seedDemo(db, { now: new Date(), password: PASSWORD, scale: SCALE });
    await expect(again).rejects.toBeInstanceOf(NotEmptyError);
    expect(await db.message.count()).toBe(before);
  });
});
