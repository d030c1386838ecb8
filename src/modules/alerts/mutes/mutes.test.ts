import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { claimTurn, registerTasks, turnOf } from '@/server/background/turns';
import { applySaved } from '@/server/settings/env';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { runTask, sharedTask } from '@/test/tasks';
import { markSent, nextAlertEmail } from '../emails/outbox';
import { forgetAlertEmails } from '../emails/send';
import { MAX_MUTES } from '../lists';
import { checkAlertEmails, openAlerts, resolveAlert } from '../service';
import { alertTasks } from '../tasks';
import { notifyUnmuted } from './notify';

const HOUR_MS = 3_600_000;
const WEBHOOK = '0197a3f0-0000-7000-8000-000000000000';

const mta = await startScriptedMta();
const api = await keyClient({ role: 'super_admin' });
const admin = await keyClient({ role: 'admin' });
const task = sharedTask(alertTasks, 'notifying of alerts that are no longer muted');
const emailing = sharedTask(alertTasks, 'emailing alerts');
let domain: { id: string; name: string };

beforeEach(async () => {
  mta.server.messages.length = 0;
  applySaved({ ALERT_EMAILS: 'ops@far.example' });
  await db.alertMute.deleteMany();
  await db.alert.deleteMany();
  await db.event.deleteMany();
  await db.scheduledTask.deleteMany();
  domain = await makeDomain();
});

afterAll(() => {
  applySaved({});
  return mta.server.close();
});

const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const mute = async (body: object) => (await api.post('/alert-mutes', body)).data;
const unmute = (id: string) => api.delete(`/alert-mutes/${id}`);
const open = (
  kind: 'dns_broken' | 'rate_limited' | 'system_down' | 'webhook_failing' = 'dns_broken',
  subject = domain.name,
) => {
  const domainId = kind === 'dns_broken' || kind === 'rate_limited' ? domain.id : null;
  return openAlerts(db, [{ kind, subject, domainId, count: 1, expected: 0 }], new Date());
};
const openMany = (count: number) =>
  openAlerts(
    db,
    Array.from({ length: count }, (_, n) => ({
      kind: 'rate_limited' as const,
      subject: `${n}@${domain.name}`,
      domainId: domain.id,
      count: 1,
      expected: 0,
    })),
    new Date(),
  );
const close = () => resolveAlert(db, { kind: 'dns_broken', subject: domain.name }, new Date());
const alerts = async () => (await api.get('/abuse/alerts?order=asc')).data;
/** The notifications so far, by email and by webhook. */
async function notified() {
  const events = await db.event.findMany({ where: { type: 'system.alert' }, orderBy: { sequence: 'asc' } });
  const emails = await db.alertEmail.findMany({ orderBy: { createdAt: 'asc' } });
  return [events.length, emails.map(({ change }) => change)];
}
const send = () => runTask(db, emailing);
/** As if some minutes had passed. */
const later = (minutes = 1) =>
  db.$executeRaw`UPDATE alert_email SET created_at = created_at - make_interval(mins => ${minutes}::int)`;
/** As if the mute had ended. */
const pass = (id: string) =>
  db.alertMute.update({ where: { id }, data: { endsAt: new Date(Date.now() - 1_000) }, select: { id: true } });

describe('a muted alert', () => {
  it('is recorded and notifies nobody, neither when it opens nor when it closes', async () => {
    await mute({ domain_id: domain.id });
    await open();
    expect(await alerts()).toMatchObject([{ status: 'open', muted: true, notified_at: null }]);
    await close();
    expect(await alerts()).toMatchObject([{ status: 'closed', resolved: true, notified_at: null }]);
    expect(await notified()).toEqual([0, []]);
  });

  it.each(['ends', 'is deleted'])('notifies once if it is still open when its mute %s', async (how) => {
    const { id } = await mute({ kind: 'dns_broken', ends_at: inHours(1) });
    await open();
    await runTask(db, task);
    expect(await notified()).toEqual([0, []]);
    await (how === 'ends' ? pass(id) : unmute(id));
    await runTask(db, task);
    await runTask(db, task);
    expect(await notified()).toEqual([1, ['opened']]);
    expect(await alerts()).toMatchObject([{ muted: false, notified_at: expect.any(String) }]);
    await close();
    expect(await notified()).toEqual([2, ['opened', 'closed']]);
  });

  it.each(['acknowledged', 'closed'])('that was %s meanwhile notifies nobody later', async (status) => {
    const { id } = await mute({ kind: 'dns_broken' });
    await open();
    const [alert] = await alerts();
    await api.patch(`/abuse/alerts/${alert.id}`, { status });
    await unmute(id);
    await runTask(db, task);
    expect(await notified()).toEqual([0, []]);
  });

  it.each(['resolved', 'closed by an admin'])(
    'that notified before it was muted also notifies when it is %s',
    async (how) => {
      await open();
      await db.alertEmail.updateMany({ data: { sentAt: new Date() } });
      await mute({ subject: domain.name });
      if (how === 'resolved') await close();
      else await api.patch(`/abuse/alerts/${(await alerts())[0].id}`, { status: 'closed' });
      expect(await notified()).toEqual([how === 'resolved' ? 2 : 1, ['opened', 'closed']]);
    },
  );

  it('is not read while no mute has ended, however many there are', async () => {
    await mute({ kind: 'rate_limited' });
    await openMany(300);
    const read = await db.$transaction(async (tx) => {
      const rowsRead = async () => {
        const [table] = await tx.$queryRaw<[{ rows: number }]>`
          SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables WHERE relname = 'alert'`;
        return table.rows;
      };
      const before = await rowsRead();
      await notifyUnmuted(tx, new Date());
      return (await rowsRead()) - before;
    });
    // The planner reads the ends of an index.
    expect(read).toBeLessThan(20);
  });

  it('notifies in one of several runs if there are many, also if something else is muted meanwhile', async () => {
    const { id } = await mute({ kind: 'rate_limited' });
    await openMany(450);
    await unmute(id);
    await mute({ kind: 'dns_broken' });
    expect(await db.event.count()).toBe(200);
    await runTask(db, task);
    await runTask(db, task);
    await runTask(db, task);
    expect(await db.event.count()).toBe(450);
    expect(await db.alertMute.count()).toBe(2);
    await db.alertMute.update({ where: { id }, data: { endsAt: new Date(Date.now() - 61_000) }, select: { id: true } });
    await runTask(db, task);
    expect(await db.alertMute.count()).toBe(1);
  });

  it('notifies nobody while another mute applies to it', async () => {
    const { id } = await mute({ kind: 'dns_broken' });
    const other = await mute({ domain_id: domain.id });
    await open();
    await unmute(id);
    expect(await notified()).toEqual([0, []]);
    await unmute(other.id);
    expect(await notified()).toEqual([1, ['opened']]);
  });

  it('that opened before has one event, and its waiting email is sent once after the mute', async () => {
    await open();
    const [{ notified_at }] = await alerts();
    const { id } = await mute({ kind: 'dns_broken' });
    await later();
    await send();
    expect(mta.server.messages).toEqual([]);
    expect(await checkAlertEmails(db)).toMatchObject([{ value: 0 }]);
    expect(await alerts()).toMatchObject([{ notified_at }]);
    await unmute(id);
    await runTask(db, task);
    await later();
    await send();
    await send();
    expect(mta.server.messages).toHaveLength(1);
    expect(await notified()).toEqual([1, ['opened']]);
  });

  it('that opened before is emailed after a mute of weeks', async () => {
    await open();
    const { id } = await mute({ kind: 'dns_broken' });
    await later(7 * 24 * 60);
    await send();
    await unmute(id);
    await forgetAlertEmails(db);
    await later();
    await send();
    expect(mta.server.messages).toHaveLength(1);
  });

  it.each(['acknowledged', 'open'])(
    'that opened before and ends while it is %s has an event of its end, and no email',
    async (status) => {
      await open();
      const { id } = await mute({ kind: 'dns_broken' });
      await api.patch(`/abuse/alerts/${(await alerts())[0].id}`, { status });
      await later();
      await send();
      await close();
      await later();
      await send();
      await unmute(id);
      await later();
      await send();
      expect(mta.server.messages).toEqual([]);
      const events = await db.event.findMany({ where: { type: 'system.alert' }, orderBy: { sequence: 'asc' } });
      expect(events.map(({ body }) => JSON.parse(body ?? '').data.status)).toEqual(['open', 'closed']);
    },
  );

  it('whose opening waits for one address only is emailed to it, and then its end', async () => {
    await open();
    await db.alertEmail.updateMany({ data: { missing: ['ops@far.example'] } });
    await mute({ kind: 'dns_broken' });
    await later();
    await send();
    expect(mta.server.messages).toHaveLength(1);
    await close();
    await later();
    await send();
    expect(mta.server.messages).toHaveLength(2);
  });

  it('that is muted while its email is submitted is emailed once', async () => {
    await open();
    await later();
    const email = await nextAlertEmail(db);
    await registerTasks(db, [emailing]);
    const claim = await claimTurn(db, [emailing]);
    if (!email || !claim) throw new Error('nothing was claimed');
    const { id } = await mute({ kind: 'dns_broken' });
    await markSent({ db, email, turn: turnOf(claim) });
    await db.scheduledTask.deleteMany();
    await unmute(id);
    await later();
    await send();
    expect(mta.server.messages).toEqual([]);
    await close();
    expect(await notified()).toEqual([2, ['opened', 'closed']]);
  });
});

it.each<[object | (() => object), string[]]>([
  [{ kind: 'rate_limited' }, ['rate_limited']],
  [{ severity: 'critical', ends_at: inHours(1) }, ['dns_broken', 'system_down', 'webhook_failing']],
  [() => ({ domain_id: domain.id }), ['dns_broken', 'rate_limited']],
  [() => ({ domain_id: domain.id, severity: 'warning' }), ['rate_limited']],
  [() => ({ kind: 'dns_broken', subject: domain.name }), ['dns_broken']],
  [() => ({ subject: domain.name.toUpperCase() }), ['dns_broken']],
  [{ subject: 'Hooks.example' }, ['webhook_failing']],
  [{ subject: `HOOKS.EXAMPLE (${WEBHOOK})` }, ['webhook_failing']],
  [{ kind: 'dns_broken', subject: 'other.example' }, []],
  [{ ends_at: inHours(29 * 24) }, ['dns_broken', 'rate_limited', 'system_down', 'webhook_failing']],
])('a mute applies to alerts that match all it names: %j', async (scope, kinds) => {
  await mute(typeof scope === 'function' ? scope() : scope);
  await open('dns_broken');
  await open('rate_limited', `ann@${domain.name}`);
  await open('system_down', 'SMTP');
  await open('webhook_failing', `hooks.example (${WEBHOOK})`);
  const muted = (await alerts()).filter((alert: { muted: boolean }) => alert.muted);
  expect(muted.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(kinds);
  // A failing webhook has no event.
  expect(await db.event.count()).toBe(3 - kinds.filter((kind) => kind !== 'webhook_failing').length);
});

describe('a mute', () => {
  it('says who muted what until when and why, and replaces one of the same alerts', async () => {
    const until = inHours(2);
    const first = await mute({ kind: 'dns_broken', domain_id: domain.id, reason: 'Moving', ends_at: inHours(1) });
    const second = await mute({ kind: 'dns_broken', domain_id: domain.id, reason: 'Still moving', ends_at: until });
    expect(second.id).toBe(first.id);
    const { data } = await api.get('/alert-mutes');
    const by = { id: api.admin.id, email: api.admin.email };
    expect(data).toMatchObject([
      { ...second, domain: domain.name, subject: null, severity: null, ends_at: until, created_by: by },
    ]);
    const { data: entries } = await api.get(`/audit?resource=alert_mute:${first.id}&order=asc`);
    expect(entries).toMatchObject([
      { action: 'alert_mute.create', domain_id: domain.id, details: { before: null } },
      { action: 'alert_mute.create', details: { before: { reason: 'Moving' }, after: { reason: 'Still moving' } } },
    ]);
  });

  it('is refused beyond the number that the console shows, also by two calls at once, but can be replaced', async () => {
    const by = { createdBy: api.admin.id, createdByEmail: api.admin.email };
    const data = Array.from({ length: MAX_MUTES - 1 }, (_, n) => ({ subject: `${n}.example`, ...by }));
    await db.alertMute.createMany({ data });
    const answers = await Promise.all(['one', 'two', 'three'].map((subject) => api.post('/alert-mutes', { subject })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    const { status, data: replaced } = await api.post('/alert-mutes', { subject: '0.EXAMPLE', reason: 'Still' });
    expect({ status, subject: replaced.subject }).toEqual({ status: 201, subject: '0.example' });
    const { data: listed } = await api.get(`/alert-mutes?limit=${MAX_MUTES}`);
    expect(listed).toHaveLength(MAX_MUTES);
    await pass(listed[0].id);
    expect((await api.post('/alert-mutes', { subject: 'four' })).status).toBe(201);
  });

  it('that has ended is not listed, and can be made again', async () => {
    const { id } = await mute({ kind: 'dns_broken', ends_at: inHours(1) });
    await pass(id);
    expect((await api.get('/alert-mutes')).data).toEqual([]);
    await mute({ kind: 'dns_broken' });
    expect((await api.get('/alert-mutes')).data).toMatchObject([{ kind: 'dns_broken', ends_at: null }]);
  });

  it.each([
    [{ kind: 'dns_broken', ends_at: '2020-01-01T00:00:00Z' }, 'ends_at'],
    [{ kind: 'unknown' }, 'kind'],
    [{ subject: '' }, 'subject'],
  ])('with an end in the past, or of unknown alerts, is rejected: %j', async (body, path) => {
    const { status, error } = await api.post('/alert-mutes', body);
    expect({ status, paths: error.details.fields?.map((field: { path: string }) => field.path) }).toEqual({
      status: 400,
      paths: [path],
    });
  });

  it.each<['admin' | 'super_admin', string, () => object, number | null]>([
    ['admin', 'of a domain', () => ({ domain_id: domain.id }), null],
    ['admin', 'of a subject', () => ({ kind: 'system_down', subject: 'SMTP' }), 24],
    ['admin', 'of a kind', () => ({ kind: 'system_down' }), 24],
    ['admin', 'of a severity', () => ({ severity: 'critical' }), 24],
    ['admin', 'of everything', () => ({}), 24],
    ['super_admin', 'of a domain', () => ({ domain_id: domain.id }), null],
    ['super_admin', 'of a subject', () => ({ subject: 'SMTP' }), null],
    ['super_admin', 'of a kind', () => ({ kind: 'system_down' }), null],
    ['super_admin', 'of a severity', () => ({ severity: 'critical' }), 30 * 24],
    ['super_admin', 'of everything', () => ({}), 30 * 24],
  ])('that an %s makes %s ends in time', async (role, _of, scope, hours) => {
    const { post } = role === 'admin' ? admin : api;
    const statusOf = async (ends_at: string | null) => {
      const { status, error, data } = await post('/alert-mutes', { ...scope(), ends_at });
      if (status === 400) expect(error.details.fields).toMatchObject([{ path: 'ends_at' }]);
      else expect((await api.get(`/audit?resource=alert_mute:${data.id}`)).data).not.toEqual([]);
      return status;
    };
    const isEndless = hours === null;
    expect(await statusOf(null)).toBe(isEndless ? 201 : 400);
    expect(await statusOf('2200-01-01T00:00:00Z')).toBe(isEndless ? 201 : 400);
    expect(await statusOf(inHours((hours ?? 0) + 1))).toBe(isEndless ? 201 : 400);
    if (!isEndless) expect(await statusOf(inHours(hours))).toBe(201);
  });

  it('ends with its domain, and is restored with it', async () => {
    const { id } = await mute({ domain_id: domain.id });
    await api.delete(`/domains/${domain.id}`);
    expect((await api.get('/alert-mutes')).data).toEqual([]);
    await api.post(`/deleted-records/${domain.id}/restore`);
    expect((await api.get('/alert-mutes')).data).toMatchObject([{ id }]);
  });
});
